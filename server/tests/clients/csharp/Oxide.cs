// Stand-ins for the parts of Oxide and Rust that a plugin uses, as documented. They send real requests and call
// hooks by name, as Oxide does.
using System;
using System.Collections.Generic;
using System.IO;
using System.Net;
using System.Reflection;
using System.Text;

namespace Oxide.Core.Libraries
{
    public enum RequestMethod { DELETE, GET, PATCH, POST, PUT }

    public class WebRequests
    {
        public void Enqueue(string url, string body, Action<int, string> callback, Plugins.Plugin owner,
            RequestMethod method = RequestMethod.GET, Dictionary<string, string> headers = null, float timeout = 0f)
        {
            var request = (HttpWebRequest)WebRequest.Create(url);
            request.Method = method.ToString();
            foreach (var header in headers ?? new Dictionary<string, string>())
            {
                if (header.Key == "Content-Type") request.ContentType = header.Value;
                else request.Headers[header.Key] = header.Value;
            }
            var bytes = Encoding.UTF8.GetBytes(body);
            using (var stream = request.GetRequestStream()) stream.Write(bytes, 0, bytes.Length);
            using (var response = GetResponse(request))
            using (var reader = new StreamReader(response.GetResponseStream()))
                callback((int)response.StatusCode, reader.ReadToEnd());
        }

        private static HttpWebResponse GetResponse(HttpWebRequest request)
        {
            try { return (HttpWebResponse)request.GetResponse(); }
            catch (WebException failure) when (failure.Response != null) { return (HttpWebResponse)failure.Response; }
        }
    }
}

namespace Oxide.Core.Plugins
{
    public abstract class Plugin
    {
        public string Name { get { return GetType().Name; } }

        public void CallHook(string hook, params object[] arguments)
        {
            GetType().GetMethod(hook, BindingFlags.Instance | BindingFlags.NonPublic).Invoke(this, arguments);
        }
    }
}

namespace Oxide.Plugins
{
    [AttributeUsage(AttributeTargets.Class)]
    public class InfoAttribute : Attribute
    {
        public InfoAttribute(string title, string author, string version) { }
    }

    public abstract class RustPlugin : Core.Plugins.Plugin
    {
        protected Core.Libraries.WebRequests webrequest = new Core.Libraries.WebRequests();

        protected void PrintWarning(string format, params object[] arguments)
        {
            Console.Error.WriteLine(arguments.Length > 0 ? string.Format(format, arguments) : format);
        }
    }
}

public class BasePlayer
{
    public string displayName;
    public string UserIDString;
}

public static class Server
{
    public static void Main()
    {
        var plugin = new Oxide.Plugins.TapeLogs();
        plugin.CallHook("OnServerInitialized");
        plugin.CallHook("OnPlayerConnected", new BasePlayer { displayName = "Zoë \"X\"", UserIDString = "7656" });
    }
}
