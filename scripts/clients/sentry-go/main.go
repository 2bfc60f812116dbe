// Sends something of each kind through Sentry's SDK for Go.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/getsentry/sentry-go"
)

const flushMax = 20 * time.Second

func main() {
	dsn, picturePath := os.Args[1], os.Args[2]
	err := sentry.Init(sentry.ClientOptions{
		Dsn:              dsn,
		Release:          "game@1.2.3",
		Environment:      "test",
		EnableTracing:    true,
		TracesSampleRate: 1,
		// With the buffer, Flush may return before an event is under way.
		DisableTelemetryBuffer: true,
		Debug:                  true,
		DebugWriter:            os.Stderr,
	})
	if err != nil {
		panic(err)
	}
	if len(os.Args) > 3 {
		sendMessages(os.Args[3])
	} else {
		sendAll(picturePath)
	}
	sentry.Flush(flushMax)
}

func sendMessages(count string) {
	messages, err := strconv.Atoi(count)
	if err != nil {
		panic(err)
	}
	for number := range messages {
		sentry.CaptureMessage(fmt.Sprintf("message %d", number))
		sentry.Flush(flushMax)
	}
}

func sendAll(picturePath string) {
	picture, err := os.ReadFile(picturePath)
	if err != nil {
		panic(err)
	}
	sentry.ConfigureScope(func(scope *sentry.Scope) {
		scope.SetUser(sentry.User{ID: "7", Username: "Ådå"})
		scope.SetTag("map", "dust")
		scope.SetContext("score", sentry.Context{"kills": 3})
	})
	for number := range 25 {
		sentry.AddBreadcrumb(&sentry.Breadcrumb{Message: fmt.Sprintf("crumb %d", number)})
	}
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.SetLevel(sentry.LevelWarning)
		sentry.CaptureMessage("hello ü 東京")
	})
	sentry.StartTransaction(context.Background(), "round").Finish()
	sentry.CaptureCheckIn(&sentry.CheckIn{MonitorSlug: "nightly", Status: sentry.CheckInStatusOK}, nil)
	sentry.NewLogger(context.Background()).Info().Int("round", 9).Emit("structured")
	sentry.WithScope(func(scope *sentry.Scope) {
		scope.AddAttachment(&sentry.Attachment{Filename: "shot.png", ContentType: "image/png", Payload: picture})
		scope.AddAttachment(&sentry.Attachment{Filename: "notes.txt", ContentType: "text/plain", Payload: []byte("notes")})
		sentry.CaptureException(fmt.Errorf("outer failed: %w", errors.New("inner failed")))
	})
}
