/** Sends through a logger of Logback or Log4j, depending on the settings file. */

import ch.qos.logback.classic.LoggerContext;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;
import org.slf4j.LoggerFactory;

public class Sender {
  private static final Pattern PAIR = Pattern.compile("\"(\\w+)\":\"((?:[^\"\\\\]|\\\\.)*)\"");

  public static void main(String[] settings) throws IOException {
    boolean isLogback = settings[0].endsWith("logback.xml");
    System.setProperty(isLogback ? "logback.configurationFile" : "log4j2.configurationFile", settings[0]);
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      Map<String, String> entry = parse(line);
      if (isLogback) sendByLogback(entry);
      else sendByLog4j(entry);
    }
    if (isLogback) ((LoggerContext) LoggerFactory.getILoggerFactory()).stop();
    else LogManager.shutdown();
  }

  private static void sendByLogback(Map<String, String> entry) {
    org.slf4j.Logger logger = LoggerFactory.getLogger("my-logger");
    logger.atLevel(org.slf4j.event.Level.valueOf(entry.get("level").toUpperCase())).log(entry.get("message"));
  }

  private static void sendByLog4j(Map<String, String> entry) {
    Configurator.setRootLevel(Level.DEBUG);
    LogManager.getLogger("my-logger").log(Level.valueOf(entry.get("level")), entry.get("message"));
  }

  /** Reads the strings of a JSON object, as a test writes it. */
  private static Map<String, String> parse(String line) {
    Map<String, String> entry = new HashMap<>();
    Matcher pair = PAIR.matcher(line);
    while (pair.find())
      entry.put(pair.group(1), pair.group(2).replace("\\n", "\n").replace("\\\"", "\"").replace("\\\\", "\\"));
    return entry;
  }
}
