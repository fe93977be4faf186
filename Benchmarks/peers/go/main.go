// The same work on Go's net/http: one struct with a mutex per session, push and pop.
package main

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
)

const bodyLimit = 64 * 1024

// sessions are found by id; opening one is rare.
var (
	sessionsLock sync.RWMutex
	sessions     = map[string]*Session{}
)

type refusal struct {
	Status int    `json:"status"`
	Code   string `json:"code"`
	Detail string `json:"detail"`
}

func (r *refusal) Error() string { return r.Detail }

type requestBody struct {
	Scene    *string `json:"scene"`
	Animated *bool   `json:"animated"`
}

func readBody(request *http.Request) (*requestBody, error) {
	bytes, err := io.ReadAll(io.LimitReader(request.Body, bodyLimit+1))
	if err != nil {
		return nil, err
	}
	if len(bytes) > bodyLimit {
		return nil, &refusal{413, "content-too-large", "the body"}
	}
	body := &requestBody{}
	if len(bytes) > 0 {
		if err := json.Unmarshal(bytes, body); err != nil {
			return nil, &refusal{400, "malformed-json", "the body"}
		}
	}
	return body, nil
}

func find(id string, request *http.Request) (*Session, error) {
	scheme, token, found := strings.Cut(request.Header.Get("Authorization"), " ")
	if !found || scheme != "Bearer" {
		return nil, &refusal{401, "unauthorized", "no token"}
	}
	sessionsLock.RLock()
	session := sessions[id]
	sessionsLock.RUnlock()
	hash := sha256.Sum256([]byte(token))
	if session == nil || subtle.ConstantTimeCompare(hash[:], session.tokenHash[:]) != 1 {
		return nil, &refusal{404, "session-not-found", "no such session"}
	}
	return session, nil
}

func send(response http.ResponseWriter, status int, value any, revision int) {
	bytes, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	header := response.Header()
	header.Set("Content-Type", "application/json")
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Length", strconv.Itoa(len(bytes)))
	if revision > 0 {
		header.Set("ETag", `"`+strconv.Itoa(revision)+`"`)
	}
	response.WriteHeader(status)
	response.Write(bytes)
}

func respond(response http.ResponseWriter, request *http.Request) error {
	const collection = "/v1/sessions"
	found := strings.HasPrefix(request.URL.Path, collection)
	rest := strings.TrimPrefix(request.URL.Path, collection)
	id, operation, _ := strings.Cut(strings.TrimPrefix(rest, "/"), "/")
	switch {
	case !found:
	case id == "" && request.Method == http.MethodPost:
		session, token := openSession()
		sessionsLock.Lock()
		sessions[session.id] = session
		sessionsLock.Unlock()
		send(response, 201, opened{session.describe(), token}, session.revision)
		return nil
	case operation == "" && request.Method == http.MethodGet:
		session, err := find(id, request)
		if err != nil {
			return err
		}
		session.lock.Lock()
		description := session.describe()
		session.lock.Unlock()
		send(response, 200, description, description.Revision)
		return nil
	case (operation == "push" || operation == "pop") && request.Method == http.MethodPost:
		session, err := find(id, request)
		if err != nil {
			return err
		}
		body, err := readBody(request)
		if err != nil {
			return err
		}
		session.lock.Lock()
		change, err := session.change(operation, body)
		session.lock.Unlock()
		if err != nil {
			return err
		}
		send(response, 200, change, change.Session.Revision)
		return nil
	}
	return &refusal{404, "not-found", "path"}
}

func handle(response http.ResponseWriter, request *http.Request) {
	err := respond(response, request)
	var refused *refusal
	if errors.As(err, &refused) {
		send(response, refused.Status, refused, 0)
	} else if err != nil {
		send(response, 500, &refusal{500, "internal-error", err.Error()}, 0)
	}
}

func randomHex(size int) string {
	bytes := make([]byte, size)
	if _, err := rand.Read(bytes); err != nil {
		panic(err)
	}
	return hex.EncodeToString(bytes)
}

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("serves at http://%s\n", listener.Addr())
	log.Fatal(http.Serve(listener, http.HandlerFunc(handle)))
}
