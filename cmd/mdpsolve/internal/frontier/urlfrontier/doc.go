// Package urlfrontier holds the messages of URLFrontier's service and its client and
// server in gRPC, generated from urlfrontier.proto.
package urlfrontier

// To generate them again: protoc is in Debian's package protobuf-compiler, the two
// plugins come by
//
//	go install google.golang.org/protobuf/cmd/protoc-gen-go@v1.36.12
//	go install google.golang.org/grpc/cmd/protoc-gen-go-grpc@v1.6.2

//go:generate protoc --go_out=. --go_opt=paths=source_relative --go-grpc_out=. --go-grpc_opt=paths=source_relative urlfrontier.proto
