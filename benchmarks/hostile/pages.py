"""Pages of the kinds that have privacy and security settings, before any mutation."""

from __future__ import annotations

from collections.abc import Callable

from benchmarks.hostile.tree import Node


def switch(key: str, label: str, note: str = "", kind: str = "native", **attrs: str) -> Node:
    """Return a row with a check box, an ARIA switch or a toggle button."""
    says = {"label": label} | ({"note": note} if note else {})
    box = {"type": "checkbox"} | attrs
    aside: list[Node | str] = [Node("p", {"class": "note"}, [note])] if note else []
    if kind == "native":
        control = Node("label", {"class": "label"}, [Node("input", box, [], key, says), f" {label}"])
        return Node("div", {"class": "row"}, [control, *aside])
    if kind == "switch":
        name = Node("span", {"class": "label", "id": f"{key}-name"}, [label])
        button = {
            "role": "switch",
            "aria-checked": "false",
            "aria-labelledby": f"{key}-name",
            "class": "toggle",
        }
        return Node("div", {"class": "row"}, [name, Node("button", button | attrs, [], key, says), *aside])
    pressed = {"aria-pressed": "false", "class": "toggle"} | attrs
    return Node("div", {"class": "row"}, [Node("button", pressed, [label], key, says), *aside])


def button(key: str, label: str, **attrs: str) -> Node:
    """Return a push button."""
    return Node("button", {"type": "button", "class": "button"} | attrs, [label], key, {"label": label})


def link(key: str, label: str, href: str) -> Node:
    """Return a link."""
    return Node("a", {"href": href, "class": "link"}, [label], key, {"label": label})


def section(heading: str, *rows: Node, level: str = "h2") -> Node:
    """Return a section with its heading; its rows may be reordered."""
    body = Node("div", {"class": "rows"}, list(rows), group=True)
    return Node("section", {"class": "card"}, [Node(level, {}, [heading]), body], says={"section": heading})


def page(title: str, *parts: Node) -> Node:
    """Return a whole page; its sections may be reordered."""
    head = Node("header", {"class": "top"}, [link("home", "Home", "/"), " ", link("help", "Help", "/help")])
    foot = Node(
        "footer",
        {"class": "foot"},
        [link("terms", "Terms", "/terms"), " ", link("contact", "Contact", "/contact")],
    )
    body = Node("div", {"class": "parts"}, list(parts), group=True)
    return Node("div", {"class": "app"}, [head, Node("main", {}, [Node("h1", {}, [title]), body]), foot])


def settings() -> Node:
    """Return a page with switches in sections; three labels repeat in several sections."""
    return page(
        "Settings",
        section(
            "Privacy",
            switch(
                "ads",
                "Personalised ads",
                "Used to choose the adverts you are shown.",
                id="ads",
                **{"data-testid": "ads-toggle"},
            ),
            switch("history", "Watch history", "Keeps a list of the films you have seen.", name="history"),
            switch("location", "Precise location", "Lets the site know where you are.", "switch"),
            switch("suggest", "Search suggestions", "", "pressed"),
        ),
        section(
            "Messages",
            *(
                switch(f"messages-{name.lower()}", name, name=f"messages[{name.lower()}]")
                for name in CHANNELS
            ),
        ),
        section("Comments", *(switch(f"comments-{name.lower()}", name) for name in CHANNELS)),
        section("Offers", *(switch(f"offers-{name.lower()}", name, "", "switch") for name in CHANNELS)),
        section("Finish", button("save", "Save changes", id="save"), button("reset", "Reset to defaults")),
    )


CHANNELS = ("Email", "Push", "Text message")


def consent() -> Node:
    """Return a page with a consent dialog."""
    rows = [
        switch("necessary", "Strictly necessary", "Always on.", "switch", **{"aria-disabled": "true"}),
        switch("analytics", "Analytics", "Helps us to understand how the site is used.", "switch"),
        switch(
            "marketing",
            "Marketing",
            "Shows you offers on other sites.",
            "switch",
            **{"data-testid": "consent-marketing"},
        ),
        switch("social", "Social media", "Lets you share what you read.", "switch"),
    ]
    answers = [
        button("accept", "Accept all", id="accept-all"),
        button("reject", "Reject all", id="reject-all"),
        button("confirm", "Confirm my choices"),
    ]
    dialog = {"role": "dialog", "aria-label": "Your privacy choices", "class": "dialog"}
    return page(
        "News", Node("div", dialog, [section("Manage cookies", *rows), section("Your answer", *answers)])
    )


def table() -> Node:
    """Return a page with rows of data that all have the same button."""

    def row(number: int, cells: tuple[str, str, str], action: str, prefix: str) -> Node:
        fields: list[Node | str] = [Node("td", {}, [cell]) for cell in cells]
        pressed = Node("td", {}, [button(f"{prefix}-{number}", action)])
        return Node("tr", {"class": "line"}, [*fields, pressed], says={"row": " ".join(cells)})

    def rows(all_cells: tuple[tuple[str, str, str], ...], action: str, prefix: str) -> Node:
        lines: list[Node | str] = [
            row(number, cells, action, prefix) for number, cells in enumerate(all_cells)
        ]
        return Node("table", {"class": "table"}, [Node("tbody", {}, lines, group=True)])

    return page(
        "Security",
        section(
            "Devices",
            rows(DEVICES, "Sign out", "device"),
            button("sign-out", "Sign out of all devices", id="sign-out-all"),
        ),
        section("Access tokens", rows(TOKENS, "Remove", "token"), button("new-token", "Create a token")),
        section("Connected apps", rows(APPS, "Remove", "app")),
    )


DEVICES = (
    ("Firefox on Windows", "Porto, Portugal", "2 Nov"),
    ("Safari on iPhone", "Lyon, France", "4 Nov"),
    ("Chrome on Android", "Porto, Portugal", "9 Nov"),
    ("Firefox on Linux", "Graz, Austria", "9 Nov"),
)
TOKENS = (("deploy-key", "read only", "Ada"), ("backup", "full", "Ada"), ("ci-runner", "read only", "Bo"))
APPS = (("Calendar Sync", "read only", "Ada"), ("Photo Prints", "full", "Ada"), ("Mail Merge", "full", "Cy"))


def form() -> Node:
    """Return a page with text fields, a list of options and radio buttons."""

    def text(key: str, label: str, **attrs: str) -> Node:
        at = {"type": "text", "id": f"f-{key}"} | attrs
        name = Node("label", {"for": at["id"], "class": "label"}, [label])
        holder = {"placeholder": at["placeholder"]} if "placeholder" in at else {}
        return Node(
            "div", {"class": "row"}, [name, " ", Node("input", at, [], key, {"label": label} | holder)]
        )

    def radio(key: str, label: str) -> Node:
        at = {"type": "radio", "name": "audience", "value": key}
        return Node(
            "div",
            {"class": "row"},
            [Node("label", {}, [Node("input", at, [], key, {"label": label}), f" {label}"])],
        )

    options: list[Node | str] = [
        Node("option", {"value": code}, [code.upper()]) for code in ("en", "de", "fr")
    ]
    language = Node("select", {"name": "language"}, options, "language", {"label": "Language"})
    return page(
        "Profile",
        section(
            "About you",
            text("display-name", "Display name", autocomplete="name"),
            text("address", "Contact address", type="email", placeholder="you@example.com"),
            text("website", "Website", placeholder="https://"),
            Node("div", {"class": "row"}, [Node("label", {}, ["Language", " ", language])]),
        ),
        section(
            "Who can see your profile",
            radio("everyone", "Everyone"),
            radio("friends", "Friends"),
            radio("nobody", "Only me"),
        ),
        section(
            "Who can write to you",
            button("write-everyone", "Everyone"),
            button("write-friends", "Friends"),
            button("write-nobody", "Only me"),
        ),
        section(
            "Done",
            button("save", "Save profile", **{"data-testid": "profile-save"}),
            button("cancel", "Cancel"),
        ),
    )


def menus() -> Node:
    """Return a page with links and menu items; some have the same name but another destination."""
    menu = Node(
        "div",
        {"role": "menu", "aria-label": "Account menu", "class": "menu"},
        [
            Node("div", {"role": "menuitem", "tabindex": "0"}, [name], key, {"label": name})
            for key, name in (
                ("m-profile", "Your profile"),
                ("m-safety", "Privacy and safety"),
                ("m-out", "Sign out"),
            )
        ],
        says={"section": "Account menu"},
        group=True,
    )
    return page(
        "Account",
        menu,
        section(
            "Security",
            link("password", "Change password", "/security/password"),
            link("two-step", "Two-step sign-in", "/security/two-step"),
            link("more-1", "Read more", "/help/security"),
        ),
        section(
            "Privacy",
            link("data", "Download your data", "/privacy/data"),
            link("blocked", "Blocked people", "/privacy/blocked"),
            link("more-2", "Read more", "/help/privacy"),
        ),
        section(
            "Close account",
            button("pause", "Pause account"),
            button("delete", "Delete account", id="delete-account"),
        ),
    )


def people() -> Node:
    """Return a page with a long list in its own scroll box, which may be rendered in part."""

    def row(number: int) -> Node:
        name = f"{FIRST[number % len(FIRST)]} {LAST[number * 7 % len(LAST)]}"
        return Node(
            "div",
            {"class": "person"},
            [Node("span", {}, [name]), button(f"mute-{number}", "Mute"), button(f"block-{number}", "Block")],
            says={"row": name},
        )

    box = Node("div", {"class": "box"}, [row(number) for number in range(60)], group=True)
    return page(
        "People", section("Your followers", box), section("Everyone", button("block-all", "Block everyone"))
    )


FIRST = ("Ada", "Bo", "Cy", "Dee", "Eli", "Flo", "Gus", "Hal", "Ida", "Jo", "Kit", "Lou", "May")
LAST = ("Abel", "Baker", "Cole", "Drew", "Ellis", "Ford", "Gray", "Hunt", "Irwin", "Jones", "King")


def feed() -> Node:
    """Return a page with cards that have the same actions and notes, some of them as icons without a name."""

    def card(number: int) -> Node:
        author, topic = CARDS[number]
        icon = Node("button", {"class": "icon"}, [Node("i", {"class": "dots"}, [])], f"dots-{number}", {})
        return Node(
            "article",
            {"class": "entry"},
            [
                Node("strong", {}, [author]),
                Node("p", {}, [topic]),
                Node(
                    "div",
                    {"class": "bar"},
                    [button(f"hide-{number}", "Hide"), button(f"share-{number}", "Share"), icon],
                ),
            ],
            says={"row": f"{author} {topic}"},
        )

    note = "You can change this at any time."
    return page(
        "Feed",
        section("Latest", *map(card, range(len(CARDS)))),
        section(
            "What you see",
            switch("autoplay", "Autoplay", note, "switch"),
            switch("sensitive", "Sensitive pictures", note, "switch"),
            switch("replies", "Replies of others", note, name="replies"),
        ),
        section(
            "More",
            button("mute-words", "Mute words"),
            link("topics", "Topics", "/topics"),
            button("mute-all", "Mute"),
        ),
    )


CARDS = (
    ("Ada Abel", "A walk along the river"),
    ("Bo Baker", "A walk along the coast"),
    ("Ada Abel", "How to mend a bicycle"),
    ("Cy Cole", "How to mend a kettle"),
)


def inbox() -> Node:
    """Return a page with messages as list items with headings, and pairs of terms and descriptions."""

    def message(number: int) -> Node:
        sender, subject = MAILS[number]
        more = {"type": "button", "aria-label": "More", "class": "icon"}
        item = [
            Node("h3", {}, [subject]),
            Node("span", {"class": "from"}, [sender]),
            button(f"reply-{number}", "Reply"),
            button(f"trash-{number}", "Delete message"),
            Node("button", more, [], f"more-{number}", {"label": "More"}),
        ]
        return Node("li", {"class": "mail"}, list(item), says={"section": subject, "row": sender})

    def fact(key: str, term: str, value: str) -> Node:
        return Node(
            "dl",
            {"class": "fact"},
            [Node("dt", {}, [term]), Node("dd", {}, [value, " ", button(key, "Edit")])],
            says={"row": value, "note": term},
        )

    mails = Node("ul", {"class": "mails"}, [message(number) for number in range(len(MAILS))], group=True)
    return page(
        "Inbox",
        Node(
            "section", {"class": "card"}, [Node("h2", {}, ["New mail"]), mails], says={"section": "New mail"}
        ),
        section(
            "Recovery",
            fact("edit-mail", "Backup address", "ada@example.org"),
            fact("edit-phone", "Phone", "ends in 47"),
        ),
        section(
            "Signature",
            switch("sign", "Add a signature", "", "pressed"),
            button("save-sign", "Save", id="save-sign"),
        ),
        section(
            "Absence",
            switch("absent", "Answer while away", "Only people you know."),
            button("save-absent", "Save"),
        ),
    )


MAILS = (
    ("Bo Baker", "Lunch on Friday"),
    ("Cy Cole", "The boiler again"),
    ("Bo Baker", "Photos of the trip"),
    ("Dee Drew", "Lunch on Monday"),
)


def team() -> Node:
    """Return a page with a matrix of check boxes named after their columns, and members with a list of options."""

    def cell(row: int, column: str) -> Node:
        key = f"{column.lower().replace(' ', '-')}-{row}"
        return Node(
            "td", {}, [Node("input", {"type": "checkbox", "aria-label": column}, [], key, {"label": column})]
        )

    def line(row: int) -> Node:
        head = Node("th", {"scope": "row"}, [EVENTS[row]])
        return Node(
            "tr", {}, [head, *(cell(row, column) for column in ("Email", "Push"))], says={"row": EVENTS[row]}
        )

    def member(number: int) -> Node:
        name, joined = MEMBERS[number]
        options: list[Node | str] = [
            Node("option", {"value": code}, [code.upper()]) for code in ("en", "de", "fr")
        ]
        choice = Node(
            "select", {"aria-label": "Language"}, options, f"language-{number}", {"label": "Language"}
        )
        remove = button(f"remove-{number}", "Remove from team")
        return Node(
            "div",
            {"class": "member"},
            [Node("b", {}, [name]), Node("small", {}, [joined]), choice, remove],
            says={"row": f"{name} {joined}"},
        )

    matrix = Node(
        "table",
        {"class": "matrix"},
        [Node("tbody", {}, [line(row) for row in range(len(EVENTS))], group=True)],
    )
    return page(
        "Team",
        section("Tell me about", matrix),
        section("Members", *map(member, range(len(MEMBERS)))),
        section(
            "Danger",
            button("leave", "Leave this team"),
            button("dissolve", "Dissolve this team", id="dissolve"),
        ),
    )


EVENTS = ("New sign-ins", "Failed sign-ins", "New members")
MEMBERS = (("Ada Abel", "since spring"), ("Bo Baker", "since spring"), ("Bo Cole", "since summer"))

PAGES: dict[str, Callable[[], Node]] = {
    "settings": settings,
    "consent": consent,
    "table": table,
    "form": form,
    "menus": menus,
    "people": people,
    "feed": feed,
    "inbox": inbox,
    "team": team,
}
TARGETS: dict[str, tuple[str, ...]] = {
    "settings": (
        "ads",
        "history",
        "location",
        "suggest",
        "messages-push",
        "comments-email",
        "offers-push",
        "save",
    ),
    "consent": ("analytics", "marketing", "reject", "confirm"),
    "table": ("device-1", "device-3", "token-1", "app-1", "sign-out"),
    "form": ("display-name", "address", "website", "language", "friends", "write-friends", "save"),
    "menus": ("m-safety", "two-step", "more-2", "blocked", "delete"),
    "people": ("block-5", "mute-31", "block-47", "block-all"),
    "feed": ("hide-0", "share-2", "dots-1", "sensitive", "replies", "mute-words"),
    "inbox": ("reply-0", "trash-2", "more-1", "edit-phone", "sign", "save-absent", "absent"),
    "team": ("email-1", "push-0", "push-2", "remove-1", "language-2", "leave"),
}
"""Targets recorded and replayed on each page; half of them have no identifying attribute."""
