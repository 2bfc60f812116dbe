/** Loggers of Java, .NET and Go. */
import type { Guide } from '../guide.ts';
import { writesLogs } from '../tokens.ts';

const group = 'Java, .NET and Go';

const loki4j: Guide = {
  id: 'loki4j',
  title: 'Logback with Loki4j',
  group,
  about: "Logback's appender for Loki: Spring Boot, Ktor, Micronaut and plain Java.",
  sends: 'logs',
  words: ['java', 'kotlin', 'spring', 'logback', 'slf4j', 'loki', 'maven', 'gradle'],
  door: 'loki',
  token: writesLogs,
  install: "implementation 'com.github.loki4j:loki-logback-appender:2.0.3'",
  snippets: [
    {
      name: 'logback.xml',
      language: 'xml',
      isFile: true,
      write: ({ address, token, dataset }) => `<configuration>
  <appender name="TAPEDECK" class="com.github.loki4j.logback.Loki4jAppender">
    <http>
      <url>${address}/loki/api/v1/push</url>
      <auth>
        <username>tapedeck</username>
        <password>${token}</password>
      </auth>
    </http>
    <batch>
      <timeoutMs>1000</timeoutMs>
    </batch>
    <labels>
      app=my-app
      level=%level
      dataset=${dataset}
    </labels>
    <message>
      <pattern>%replace(%msg%n%ex){'\\s+$', ''}</pattern>
    </message>
  </appender>

  <root level="DEBUG">
    <appender-ref ref="TAPEDECK" />
  </root>
</configuration>
`,
    },
  ],
  test: {
    name: 'In a program',
    language: 'java',
    write: () => `org.slf4j.LoggerFactory.getLogger("my-app").warn("Hello, tape");`,
  },
  notes: [
    {
      sees: 'Nothing, and no error',
      means: 'Set <verbose>true</verbose> in the appender: it tells of itself on stderr.',
    },
    {
      sees: 'A short program ends before its entries are sent',
      means: 'Stop the LoggerContext at its end, or let it live for a second.',
    },
  ],
};

const log4j: Guide = {
  id: 'log4j2',
  title: 'Log4j 2',
  group,
  about: "Log4j's own Http appender: no further package.",
  sends: 'logs',
  words: ['java', 'kotlin', 'log4j', 'minecraft', 'paper', 'spigot', 'spring'],
  door: 'lines',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'log4j2.xml',
      language: 'xml',
      isFile: true,
      write: connection => writeLog4j(connection, 'my-app'),
    },
  ],
  test: {
    name: 'In a program',
    language: 'java',
    write: () => `org.apache.logging.log4j.LogManager.getLogger("my-app").warn("Hello, tape");`,
  },
  notes: [
    {
      sees: 'Entries are lost while the service restarts',
      means: 'This appender sends nothing twice; Logback with Loki4j and the OpenTelemetry agent do.',
    },
  ],
};

export function writeLog4j(
  { address, token, dataset }: { address: string; token: string; dataset: string },
  app: string,
): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<Configuration status="WARN">
  <Appenders>
    <Console name="Console" target="SYSTEM_OUT">
      <PatternLayout pattern="[%d{HH:mm:ss}] [%t/%level]: %msg%n" />
    </Console>
    <Http name="Http" url="${address}/api/v3/logs/lines?dataset=${dataset}">
      <Property name="Authorization" value="Bearer ${token}" />
      <PatternLayout pattern="{&quot;level&quot;:&quot;%level&quot;,&quot;service&quot;:&quot;${app}&quot;,&quot;class&quot;:&quot;%enc{%c}{JSON}&quot;,&quot;thread&quot;:&quot;%enc{%t}{JSON}&quot;,&quot;message&quot;:&quot;%enc{%replace{%msg%n%ex}{\\s+$}{}}{JSON}&quot;}" alwaysWriteExceptions="false" />
    </Http>
    <Async name="Tapedeck">
      <AppenderRef ref="Http" />
    </Async>
  </Appenders>
  <Loggers>
    <Root level="info">
      <AppenderRef ref="Console" />
      <AppenderRef ref="Tapedeck" />
    </Root>
  </Loggers>
</Configuration>
`;
}

const serilog: Guide = {
  id: 'serilog',
  title: 'Serilog',
  group,
  about: "Serilog's sink for OpenTelemetry, for ASP.NET and every other .NET program.",
  sends: 'logs',
  words: ['dotnet', '.net', 'csharp', 'c#', 'asp.net', 'nlog', 'otlp', 'nuget'],
  door: 'otlp',
  token: writesLogs,
  install: 'dotnet add package Serilog.Sinks.OpenTelemetry',
  snippets: [
    {
      name: 'Program.cs',
      language: 'csharp',
      write: ({ address, token, dataset }) => `using Serilog;
using Serilog.Sinks.OpenTelemetry;

Log.Logger = new LoggerConfiguration()
    .MinimumLevel.Debug()
    .WriteTo.OpenTelemetry(options =>
    {
        options.Endpoint = "${address}/v1/logs";
        options.Protocol = OtlpProtocol.HttpProtobuf;
        options.Headers = new Dictionary<string, string>
        {
            ["Authorization"] = "Bearer ${token}",
            ["X-Tapedeck-Dataset"] = "${dataset}",
        };
        options.ResourceAttributes = new Dictionary<string, object> { ["service.name"] = "my-app" };
    })
    .CreateLogger();
`,
    },
  ],
  test: {
    name: 'In the same file',
    language: 'csharp',
    write: () => `Log.Warning("Hello, {Who}", "tape");
Log.CloseAndFlush();`,
  },
  notes: [
    {
      sees: 'Nothing, and no error',
      means: 'Write Serilog.Debugging.SelfLog.Enable(Console.Error); first: it tells what goes wrong.',
    },
  ],
};

const goHttp: Guide = {
  id: 'go-http',
  title: 'Go: log entries',
  group,
  about: 'log/slog as JSON, sent by the standard library.',
  sends: 'logs',
  words: ['go', 'golang', 'slog', 'zap', 'zerolog', 'logrus'],
  door: 'lines',
  token: writesLogs,
  install: null,
  snippets: [
    {
      name: 'main.go',
      language: 'go',
      isFile: true,
      write: ({ address, token, dataset }) => `package main

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"os"
)

// tape sends each line that is written to it; zap, zerolog and logrus write to it as well.
type tape struct{}

func (tape) Write(line []byte) (int, error) {
	url := "${address}/api/v3/logs/lines?dataset=${dataset}"
	request, err := http.NewRequest(http.MethodPost, url, bytes.NewReader(line))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer ${token}")
	request.Header.Set("Content-Type", "application/x-ndjson")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		fmt.Fprintln(os.Stderr, "not logged:", err)
		return 0, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		fmt.Fprintln(os.Stderr, "not logged:", response.Status)
	}
	return len(line), nil
}

func main() {
	logger := slog.New(slog.NewJSONHandler(tape{}, nil))
	logger.Warn("Hello, tape", "player", 7)
}
`,
    },
  ],
  test: { name: 'Run it', language: 'sh', write: () => 'go run main.go' },
  notes: [
    {
      sees: 'Each entry takes a request',
      means: 'For many of them use OpenTelemetry for Go, which sends batches.',
    },
  ],
};

export const platformGuides: readonly Guide[] = [loki4j, log4j, serilog, goHttp];
