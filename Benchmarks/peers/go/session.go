package main

import (
	"crypto/sha256"
	"strconv"
	"sync"
	"time"
)

const (
	lifetime   = 30 * 24 * time.Hour
	timeFormat = "2006-01-02T15:04:05.000Z"
)

type scene struct {
	title     string
	rows      int
	bottomBar *string
	isSegment bool
	link      *string
}

var (
	authorsBar  = "15 authors"
	authorsLink = "/authors"
	scenes      = map[string]scene{
		"authors": {"Authors", 15, &authorsBar, true, &authorsLink},
		"titles":  {"Titles", 65, nil, false, nil},
	}
	firstID              = "vc1"
	segments             = segmentedControl{0, []segment{{"Authors", &firstID}, {"Titles", nil}}}
	segmentedControlName = "segmentedControl"
)

// Session is one user's stack of view controllers. The lock guards all that changes.
type Session struct {
	id        string
	tokenHash [sha256.Size]byte
	createdAt time.Time

	lock            sync.Mutex
	revision        int
	expiresAt       time.Time
	lastID          int
	lastEvent       int
	viewControllers []*viewController
}

type titled struct {
	Title string `json:"title"`
}

type navigationItem struct {
	Title                         *string  `json:"title"`
	BackButtonTitle               *string  `json:"backButtonTitle"`
	HidesBackButton               bool     `json:"hidesBackButton"`
	LeftItems                     []string `json:"leftItems"`
	LeftItemsSupplementBackButton bool     `json:"leftItemsSupplementBackButton"`
	RightItems                    []string `json:"rightItems"`
}

type viewController struct {
	ID                       string            `json:"id"`
	Scene                    string            `json:"scene"`
	Title                    string            `json:"title"`
	Parameters               map[string]string `json:"parameters"`
	IsViewLoaded             bool              `json:"isViewLoaded"`
	HidesBottomBarWhenPushed bool              `json:"hidesBottomBarWhenPushed"`
	NavigationItem           navigationItem    `json:"navigationItem"`
}

type navigationBar struct {
	Title      string   `json:"title"`
	TitleView  *string  `json:"titleView"`
	BackButton *titled  `json:"backButton"`
	LeftItems  []string `json:"leftItems"`
	RightItems []string `json:"rightItems"`
}

type segmentedControl struct {
	SelectedIndex int       `json:"selectedIndex"`
	Segments      []segment `json:"segments"`
}

type segment struct {
	Title          string  `json:"title"`
	ViewController *string `json:"viewController"`
}

type authState struct {
	State    string `json:"state"`
	Username string `json:"username"`
}

type windowState struct {
	Root string `json:"root"`
}

type bottomBar struct {
	Text     *string `json:"text"`
	IsHidden bool    `json:"isHidden"`
}

type toolbar struct {
	Items    []string `json:"items"`
	IsHidden bool     `json:"isHidden"`
}

type screen struct {
	Kind         string `json:"kind"`
	NumberOfRows int    `json:"numberOfRows"`
}

type description struct {
	ID               string            `json:"id"`
	Name             *string           `json:"name"`
	Revision         int               `json:"revision"`
	Lifecycle        string            `json:"lifecycle"`
	CreatedAt        string            `json:"createdAt"`
	ExpiresAt        string            `json:"expiresAt"`
	Auth             authState         `json:"auth"`
	Window           windowState       `json:"window"`
	ViewControllers  []*viewController `json:"viewControllers"`
	NavigationBar    navigationBar     `json:"navigationBar"`
	SegmentedControl *segmentedControl `json:"segmentedControl"`
	BottomBar        bottomBar         `json:"bottomBar"`
	Toolbar          toolbar           `json:"toolbar"`
	Screen           screen            `json:"screen"`
	TabBar           *string           `json:"tabBar"`
	Layers           *string           `json:"layers"`
	Flags            map[string]bool   `json:"flags"`
	Pending          *string           `json:"pending"`
	PendingLink      *string           `json:"pendingLink"`
	Link             *string           `json:"link"`
}

type opened struct {
	description
	Token string `json:"token"`
}

type event struct {
	Seq            int    `json:"seq"`
	Revision       int    `json:"revision"`
	Event          string `json:"event"`
	ViewController string `json:"viewController"`
	Scene          string `json:"scene"`
	Animated       bool   `json:"animated"`
}

type change struct {
	Changed    bool              `json:"changed"`
	Transition string            `json:"transition"`
	Popped     []*viewController `json:"popped"`
	Events     []event           `json:"events"`
	Session    description       `json:"session"`
}

func openSession() (*Session, string) {
	token := "wps_" + randomHex(32)
	now := time.Now().UTC()
	session := &Session{
		id: randomHex(16), tokenHash: sha256.Sum256([]byte(token)), revision: 1,
		createdAt: now, expiresAt: now.Add(lifetime), lastEvent: 5,
	}
	session.viewControllers = append(session.viewControllers, session.make("authors"))
	return session, token
}

func (s *Session) make(name string) *viewController {
	s.lastID++
	return &viewController{
		ID: "vc" + strconv.Itoa(s.lastID), Scene: name, Title: scenes[name].title,
		Parameters: map[string]string{}, IsViewLoaded: true,
		NavigationItem: navigationItem{LeftItems: []string{}, RightItems: []string{}},
	}
}

func (s *Session) top() *viewController { return s.viewControllers[len(s.viewControllers)-1] }

func (s *Session) navigationBar() navigationBar {
	top := s.top()
	item := top.NavigationItem
	bar := navigationBar{Title: top.Title, LeftItems: item.LeftItems, RightItems: item.RightItems}
	if item.Title != nil {
		bar.Title = *item.Title
	}
	if count := len(s.viewControllers); count == 1 {
		if scenes[top.Scene].isSegment {
			bar.TitleView = &segmentedControlName
		}
	} else if !item.HidesBackButton &&
		(len(item.LeftItems) == 0 || item.LeftItemsSupplementBackButton) {
		below := s.viewControllers[count-2]
		title := below.Title
		if below.NavigationItem.Title != nil {
			title = *below.NavigationItem.Title
		}
		if below.NavigationItem.BackButtonTitle != nil {
			title = *below.NavigationItem.BackButtonTitle
		}
		if title == "" {
			title = "Back"
		}
		bar.BackButton = &titled{title}
	}
	return bar
}

// describe shares nothing with the session that a later change touches: it is encoded without the
// lock. A view controller never changes once it is made.
func (s *Session) describe() description {
	top := s.top()
	scene := scenes[top.Scene]
	return description{
		ID: s.id, Revision: s.revision, Lifecycle: "forwarded",
		CreatedAt: s.createdAt.Format(timeFormat), ExpiresAt: s.expiresAt.Format(timeFormat),
		Auth: authState{"loggedIn", "bench"}, Window: windowState{"app"},
		ViewControllers: append([]*viewController{}, s.viewControllers...),
		NavigationBar:   s.navigationBar(), SegmentedControl: &segments,
		BottomBar: bottomBar{scene.bottomBar, top.HidesBottomBarWhenPushed},
		Toolbar:   toolbar{[]string{}, true},
		Screen:    screen{"table", scene.rows},
		Flags:     map[string]bool{},
		Link:      scene.link,
	}
}

func (s *Session) lifecycleEvents(shown, left *viewController, isFirst, animated bool) []event {
	events := make([]event, 0, 7)
	add := func(name string, of *viewController) {
		s.lastEvent++
		events = append(events, event{s.lastEvent, s.revision, name, of.ID, of.Scene, animated})
	}
	if isFirst {
		add("viewDidLoad", shown)
	}
	add("willShow", shown)
	add("viewWillDisappear", left)
	add("viewWillAppear", shown)
	add("didShow", shown)
	add("viewDidDisappear", left)
	add("viewDidAppear", shown)
	return events
}

func (s *Session) change(operation string, body *requestBody) (*change, error) {
	animated := body.Animated == nil || *body.Animated
	left := s.top()
	popped := []*viewController{}
	switch {
	case operation == "push":
		if body.Scene == nil {
			return nil, &refusal{422, "invalid-body", "/scene"}
		}
		if _, found := scenes[*body.Scene]; !found {
			return nil, &refusal{404, "scene-not-found", *body.Scene}
		}
		s.viewControllers = append(s.viewControllers, s.make(*body.Scene))
	case len(s.viewControllers) > 1:
		s.viewControllers = s.viewControllers[:len(s.viewControllers)-1]
		popped = append(popped, left)
	default:
		return &change{false, "none", popped, []event{}, s.describe()}, nil
	}
	s.revision++
	s.expiresAt = time.Now().UTC().Add(lifetime)
	events := s.lifecycleEvents(s.top(), left, operation == "push", animated)
	return &change{true, operation, popped, events, s.describe()}, nil
}
