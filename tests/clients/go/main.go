// The AWS SDK for Go v2: requests, waiters, paginators, the expression builder and typed errors.
package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

const (
	table  = "go-sdk"
	orders = 25
)

// Order is an item of the table.
type Order struct {
	PK     string `dynamodbav:"PK"`
	SK     string `dynamodbav:"SK"`
	GSI1PK string `dynamodbav:"GSI1PK"`
	GSI1SK string `dynamodbav:"GSI1SK"`
	N      int    `dynamodbav:"n"`
	Tags   []string
}

func order(n int) Order {
	number := fmt.Sprintf("%03d", n)
	return Order{"CUST#1", "ORDER#" + number, fmt.Sprintf("STATUS#%d", n%2), number, n, []string{"a", "b"}}
}

func key(sort string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"PK": &types.AttributeValueMemberS{Value: "CUST#1"},
		"SK": &types.AttributeValueMemberS{Value: sort},
	}
}

func must[T any](value T, err error) T {
	check(err == nil, "%v", err)
	return value
}

func check(ok bool, words string, values ...any) {
	if !ok {
		panic(fmt.Sprintf(words, values...))
	}
}

func createTable(ctx context.Context, client *dynamodb.Client) {
	schema := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
		}
	}
	var attributes []types.AttributeDefinition
	for _, name := range []string{"PK", "SK", "GSI1PK", "GSI1SK"} {
		attribute := types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
		attributes = append(attributes, attribute)
	}
	must(client.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String(table),
		KeySchema:            schema("PK", "SK"),
		AttributeDefinitions: attributes,
		BillingMode:          types.BillingModePayPerRequest,
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("GSI1"),
			KeySchema:  schema("GSI1PK", "GSI1SK"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeAll},
		}},
	}))
	waiter := dynamodb.NewTableExistsWaiter(client)
	err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)}, time.Minute)
	check(err == nil, "the table does not come: %v", err)
}

func writeAndGet(ctx context.Context, client *dynamodb.Client) {
	var requests []types.WriteRequest
	for n := range orders {
		item := must(attributevalue.MarshalMap(order(n)))
		requests = append(requests, types.WriteRequest{PutRequest: &types.PutRequest{Item: item}})
	}
	batch := map[string][]types.WriteRequest{table: requests}
	written := must(client.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{RequestItems: batch}))
	check(len(written.UnprocessedItems) == 0, "left over: %v", written.UnprocessedItems)

	got := must(client.GetItem(ctx, &dynamodb.GetItemInput{TableName: aws.String(table), Key: key("ORDER#007")}))
	var found Order
	check(attributevalue.UnmarshalMap(got.Item, &found) == nil, "no order: %v", got.Item)
	check(found.N == 7 && slices.Equal(found.Tags, []string{"a", "b"}), "another order: %v", found)

	wanted := map[string]types.KeysAndAttributes{table: {Keys: []map[string]types.AttributeValue{
		key("ORDER#001"), key("ORDER#002"), key("NOWHERE"),
	}}}
	answer := must(client.BatchGetItem(ctx, &dynamodb.BatchGetItemInput{RequestItems: wanted}))
	check(len(answer.Responses[table]) == 2, "not two: %v", answer.Responses)
}

func update(ctx context.Context, client *dynamodb.Client) {
	change := must(expression.NewBuilder().
		WithUpdate(expression.Set(expression.Name("status"), expression.Value("PAID")).
			Add(expression.Name("n"), expression.Value(0))).
		WithCondition(expression.Name("n").LessThan(expression.Value(5))).
		Build())
	answer := must(client.UpdateItem(ctx, &dynamodb.UpdateItemInput{
		TableName:                 aws.String(table),
		Key:                       key("ORDER#004"),
		UpdateExpression:          change.Update(),
		ConditionExpression:       change.Condition(),
		ExpressionAttributeNames:  change.Names(),
		ExpressionAttributeValues: change.Values(),
		ReturnValues:              types.ReturnValueUpdatedNew,
	}))
	status, isText := answer.Attributes["status"].(*types.AttributeValueMemberS)
	check(isText && status.Value == "PAID", "not paid: %v", answer.Attributes)
}

func clientErrors(ctx context.Context, client *dynamodb.Client) {
	_, err := client.PutItem(ctx, &dynamodb.PutItemInput{
		TableName:                           aws.String(table),
		Item:                                key("ORDER#003"),
		ConditionExpression:                 aws.String("attribute_not_exists(PK)"),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	})
	var failed *types.ConditionalCheckFailedException
	check(errors.As(err, &failed), "expected a condition failure, got %v", err)
	check(failed.Item["n"].(*types.AttributeValueMemberN).Value == "3", "another item: %v", failed.Item)

	_, err = client.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Delete: &types.Delete{TableName: aws.String(table), Key: key("ORDER#001")}},
		{ConditionCheck: &types.ConditionCheck{
			TableName:           aws.String(table),
			Key:                 key("ORDER#002"),
			ConditionExpression: aws.String("attribute_not_exists(PK)"),
		}},
	}})
	var cancelled *types.TransactionCanceledException
	check(errors.As(err, &cancelled), "not cancelled: %v", err)
	check(*cancelled.CancellationReasons[0].Code == "None", "wrong reasons")
	check(*cancelled.CancellationReasons[1].Code == "ConditionalCheckFailed", "wrong reasons")
}

func pages(ctx context.Context, client *dynamodb.Client, forward bool) {
	which := must(expression.NewBuilder().
		WithKeyCondition(expression.Key("GSI1PK").Equal(expression.Value("STATUS#0"))).Build())
	paginator := dynamodb.NewQueryPaginator(client, &dynamodb.QueryInput{
		TableName:                 aws.String(table),
		IndexName:                 aws.String("GSI1"),
		KeyConditionExpression:    which.KeyCondition(),
		ExpressionAttributeNames:  which.Names(),
		ExpressionAttributeValues: which.Values(),
		ScanIndexForward:          aws.Bool(forward),
		Limit:                     aws.Int32(5),
	})
	var found []int
	for paginator.HasMorePages() {
		page := must(paginator.NextPage(ctx))
		for _, item := range page.Items {
			var each Order
			check(attributevalue.UnmarshalMap(item, &each) == nil, "no order: %v", item)
			found = append(found, each.N)
		}
	}
	var expected []int
	for n := 0; n < orders; n += 2 {
		expected = append(expected, n)
	}
	if !forward {
		slices.Reverse(expected)
	}
	check(slices.Equal(found, expected), "pages: %v", found)
}

func scanAndDelete(ctx context.Context, client *dynamodb.Client) {
	scan := dynamodb.NewScanPaginator(client, &dynamodb.ScanInput{TableName: aws.String(table), Limit: aws.Int32(10)})
	count := 0
	for scan.HasMorePages() {
		count += int(must(scan.NextPage(ctx)).Count)
	}
	check(count == orders, "scanned %d", count)
	must(client.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: aws.String(table), Key: key("ORDER#000")}))
	must(client.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(table)}))
	waiter := dynamodb.NewTableNotExistsWaiter(client)
	err := waiter.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(table)}, time.Minute)
	check(err == nil, "the table does not go: %v", err)
}

func main() {
	ctx := context.Background()
	client := dynamodb.NewFromConfig(must(config.LoadDefaultConfig(ctx)))
	createTable(ctx, client)
	writeAndGet(ctx, client)
	update(ctx, client)
	clientErrors(ctx, client)
	pages(ctx, client, true)
	pages(ctx, client, false)
	scanAndDelete(ctx, client)
}
