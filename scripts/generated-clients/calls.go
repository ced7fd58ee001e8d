// Calls five operations with a client that oapi-codegen has generated.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"example.org/calls/rapsheet"
)

const (
	eicar = "275a021bbfb6489e54d471899f7db9d1663fc695ec2fe2a2c4538aabf651fd0f"
	c2    = "tunnel.ply.example:5002"
)

func check(err error, isRight bool, answer any) {
	if err != nil || !isRight {
		fmt.Fprintf(os.Stderr, "%v %+v\n", err, answer)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	sendToken := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", os.Getenv("RAPSHEET_TOKEN"))
		return nil
	}
	client, err := rapsheet.NewClientWithResponses(os.Getenv("RAPSHEET_URL"), rapsheet.WithRequestEditorFn(sendToken))
	check(err, true, client)

	me, err := client.MeWithResponse(ctx)
	check(err, me != nil && me.JSON200 != nil && me.JSON200.Name == "explorer", me)
	body := rapsheet.CreateReportJSONRequestBody{C2Address: c2, File256Hash: eicar, Tags: &[]string{"eicar"}}
	created, err := client.CreateReportWithResponse(ctx, "ply", nil, body)
	check(err, created != nil && created.JSON201 != nil && bool(created.JSON201.Successful), created)
	fetched, err := client.FetchReportWithResponse(ctx, "ply", &rapsheet.FetchReportParams{Report: created.JSON201.Id})
	check(err, fetched != nil && fetched.JSON200 != nil && fetched.JSON200.Report.C2Address == c2, fetched)
	analysis, err := client.LookUpWithResponse(ctx, eicar)
	check(err, analysis != nil && analysis.JSON200 != nil && analysis.JSON200.Sha256Hash == eicar, analysis)
	deleted, err := client.DeleteReportWithResponse(ctx, "ply", &rapsheet.DeleteReportParams{Report: created.JSON201.Id})
	check(err, deleted != nil && deleted.JSON200 != nil, deleted)
	refused, err := client.FetchReportWithResponse(ctx, "ply", &rapsheet.FetchReportParams{Report: created.JSON201.Id})
	check(err, refused != nil && refused.JSON404 != nil && refused.JSON404.Error != "", refused)
	fmt.Println("5 operations")
}
