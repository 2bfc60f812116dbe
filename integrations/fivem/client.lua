-- Takes screenshots for the server. It has no token: the upload URL allows one upload.
RegisterNetEvent('tapedeck:takeScreenshot', function(request, address)
  local taken, reason = pcall(function()
    exports['screenshot-basic']:requestScreenshotUpload(address, 'file', function(answer)
      TriggerServerEvent('tapedeck:screenshotTaken', request, answer)
    end)
  end)
  if not taken then TriggerServerEvent('tapedeck:screenshotFailed', request, tostring(reason)) end
end)
