"""The kit for records: what a module declares is what the server does, and what the state tells."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.sandbox_support import Reply, Visitor, write_site
from websp_gym.sandbox.client import EpisodeHandle, Sandbox
from websp_gym.sandbox.schema.company import CompanyError
from websp_gym.sandbox.schema.site_files import SiteError, load_site

SITE = """
name: Depot
hosts: [depot.example]
layout: layout.html
session_cookie: depot
login_page: /login
record_paths: /app/
people: {module: people, role: role, members: [{module: keepers, of: place}]}
modules:
  people: {one: Person, many: People, company: [people], fields: {name: {type: text}, role: {type: choice, choices: [clerk, chief], default: clerk}}, allow: {edit: [chief], export: [chief]}, table: {columns: [record, role]}}
  places: {one: Place, many: Places, company: [places], within: "", open: {hidden: false}, gives: {owner: keeper}, guarded: [{when: {hidden: true}, allow: {delete: [chief]}}], frozen: {closed: true}, allow: {see: [keeper], delete: [keeper], edit: [keeper]}, allow_fields: {stock: [chief]}, fields: {name: {type: text}, hidden: {type: bool, default: false}, closed: {type: bool, default: false}, owner: {type: record, of: people}, stock: {type: int, default: 0}, visits: {type: int, default: 0}}, required: [name], table: {columns: [record, hidden]}}
  keepers: {one: Keeper, many: Keepers, company: [keepers], fields: {user: {type: record, of: people}, place: {type: record, of: places}, role: {type: choice, choices: [keeper, guest], default: guest}}}
  orders:
    one: Order
    many: Orders
    company: [orders]
    title: "{what}"
    within: place
    history: true
    fields:
      what: {type: text, label: What, max_length: 30}
      number: {type: int, default: 0}
      place: {type: record, of: places}
      state: {type: choice, choices: [open, done], default: open}
      status: {type: choice, choices: [new, late, sent, lost], default: new}
      amount: {type: amount, default: 0}
      placed: {type: date}
      due: {type: date}
      reason: {type: text}
      by: {type: record, of: people}
      helpers: {type: records, of: people}
      tags: {type: words}
    required: [what, place]
    required_when: {reason: {status: lost}}
    choices_when: {status: {state: {open: [new, late], done: [sent, lost]}}}
    order: [[placed, due]]
    unique: [what]
    fixed: [number, by]
    numbered: {field: number, within: place}
    stamps: {by: me, placed: today}
    convert: {into: {bills: {always: true, fields: {text: what}}}, values: {state: done, status: sent}}
    imports: files
    table: {columns: [record, place, amount], filters: [state, place], bulk: [delete, update, export, merge], update: [state, status], per_page: 3, sort: what}
    related: [{module: people, field: helpers, link: true}]
  bills: {one: Bill, many: Bills, ident: "bill/{text}", soft: gone, fields: {text: {type: text}, gone: {type: bool, default: false}}, required: [text], table: {columns: [record]}, title: "{text}"}
  files: {one: File, many: Files, company: [files], fields: {name: {type: text}, file_name: {type: text}, content: {type: text}}, table: {columns: [record]}}
  exports: {one: Export, many: Exports, readonly: true, fields: {module: {type: text}, count: {type: int, default: 0}, filter: {type: text}, selection: {type: text}, by: {type: record, of: people}}, table: {columns: [module, count]}}
  imports: {one: Import, many: Imports, readonly: true, fields: {module: {type: text}, file: {type: record, of: files}, made: {type: int, default: 0}, duplicates: {type: int, default: 0}, errors: {type: int, default: 0}}}
pages:
  - {path: /, template: layout.html}
  - {path: /login, template: layout.html}
  - {path: /plan, template: plan.html, login: true}
actions:
  - {path: "/app/{place}/stock", login: true, record: [{module: places, does: save, where: {id: place}, fields: {}, plus: {visits: 2}, needs: {closed: false}, when: {sure: "yes"}}]}
  - {path: "/app/{place}/several", login: true, record: [{module: places, does: find, where: {record: "{title}"}}, {module: orders, does: create, each: names, fields: {what: names}, values: {place: "{places.id}"}, said: "{count} made"}]}
  - {path: "/app/{place}/rows", login: true, record: [{module: orders, does: save, each: rows, fields: {amount: sum}}]}
  - {path: "/app/{place}/own", login: true, record: [{module: orders, does: delete, where: {place: place}, having: {state: open}, optional: true}]}
  - {path: "/app/{place}/put", login: true, record: [{module: bills, does: put, where: {text: text}, fields: {gone: gone}}]}
  - {path: "/app/{place}/like", login: true, record: [{module: orders, does: copy, where: {place: place}, having: {state: done}, values: {place: north, what: "like {what}"}}]}
  - {path: "/app/{place}/begin", login: true, record: [{module: orders, does: create, fields: {what: what}, values: {place: "{place}", tags: [quick]}}, {module: bills, does: create, fields: {}, values: {text: "for {orders.what}"}}], redirect: "/app/orders/record/{orders.id}"}
"""
PLAN = "{% for week in records.weeks(query.get('month', '')) %}<p>{{ week[0] }}</p>{% endfor %}"
LAYOUT = "<html><body>{% block panel %}{% endblock %}</body></html>"
DATA = {
    "people": "id,name,role\nalexrivers,Alex Rivers,clerk\nmina,Mina Holt,chief\nmina-2,Mina Hold,clerk\n",
    "places": "id,name,hidden,closed,owner\nnorth,North Quay,false,,\nsouth,South Quay,true,,\nvault,Vault,true,,\nshed,Shed,true,,alexrivers\nmill,Mill,false,true,alexrivers\n",
    "keepers": "id,user,place,role\n1,alexrivers,north,keeper\n2,alexrivers,south,keeper\n",
    "orders": (
        "id,what,number,place,state,status,amount,placed,due,helpers,tags\n"
        "a,Ropes,1,north,open,new,1250.50,-3,+4,mina,a;b\n"
        "b,Anchors,2,north,open,late,80,2026-01-02,2026-02-01,,\n"
        "c,Buoys,1,south,done,sent,80,,,,\n"
        "d,Lamps,3,north,open,new,3,,,mina;mina-2,\n"
        "e,Seals,1,vault,open,new,9,,,,\n"
    ),
    "files": 'id,name,file_name,content\nlist,List,list.csv,"Thing,Where,Sum\\nRopes,North Quay,1\\nNets,North Quay,""1,200""\\n,North Quay,4\\n"\n',
}
HOME = "https://depot.example/app"
SEND = "https://depot.example/records"


@pytest.fixture(scope="module")
def site_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("sites")
    write_depot(root / "depot")
    return root


def write_depot(folder: Path, site: str = SITE, **data: str) -> Path:
    write_site(folder, site, {"layout.html": LAYOUT, "plan.html": PLAN})
    (folder / "data").mkdir()
    for name, text in (DATA | data).items():
        (folder / "data" / f"{name}.csv").write_text(text)
    return folder


@pytest.fixture
def episode(sandbox: Sandbox) -> Iterator[EpisodeHandle]:
    episode = sandbox.open_episode("depot", signed_in=["depot"])
    yield episode
    episode.close()


def rows(visitor: Visitor, module: str) -> dict[str, Any]:
    """The records of a module that differ from the company's, by id."""
    assert visitor.episode is not None
    found = visitor.episode.state()["sites"]["depot"]["collections"][module]
    return dict(found["rows"]) if isinstance(found, dict) else {row["id"]: row for row in found}


def send(visitor: Visitor, what: str, /, **fields: Any) -> Reply:
    return visitor.post(f"{SEND}/{what}", fields)


def errors(reply: Reply) -> dict[str, str]:
    assert reply.status == 422, reply.body
    return dict(json.loads(reply.body)["errors"])


def listed(visitor: Visitor, query: str = "") -> list[str]:
    """The titles of the orders in a list."""
    body = visitor.get(f"{HOME}/orders{query}").body
    return re.findall(r'<a href="/app/orders/record/\w+">([^<]+)</a>', body)


# ---------------------------------------------------------------- reading


def test_a_list_is_sorted_filtered_searched_and_paged(visitor: Visitor) -> None:
    assert listed(visitor) == ["Anchors", "Buoys", "Lamps"]
    assert listed(visitor, "?page=2") == ["Ropes"]
    assert listed(visitor, "?sort=-amount") == ["Ropes", "Anchors", "Buoys"]
    assert listed(visitor, "?state=open&place=north") == ["Anchors", "Lamps", "Ropes"]
    assert listed(visitor, "?amount=80") == ["Anchors", "Buoys"]
    assert listed(visitor, "?amount.from=80&amount.to=1000") == ["Anchors", "Buoys"]
    assert listed(visitor, "?q=rop") == ["Ropes"]
    assert listed(visitor, "?q=nothing") == []
    assert "1 – 3 of 4" in visitor.get(f"{HOME}/orders").body


@pytest.mark.parametrize(
    "query",
    ["?page=0", "?page=99", "?page=x", "?sort=nonsense", "?sort=-", "?per_page=9999", "?state=nonsense"],
)
def test_a_list_answers_whatever_is_asked(visitor: Visitor, query: str) -> None:
    assert visitor.get(f"{HOME}/orders{query}").status == 200


def test_a_month_that_is_none_is_this_one(visitor: Visitor) -> None:
    this_month = visitor.get("https://depot.example/plan").body
    assert "<p>2024-01-29</p>" in visitor.get("https://depot.example/plan?month=2024-02").body
    for month in ("nonsense", "0000-01", "9999-12"):
        assert visitor.get(f"https://depot.example/plan?month={month}").body == this_month


def test_what_may_not_be_seen_is_nowhere(visitor: Visitor) -> None:
    # The vault is hidden and has no keeper, so its order is not there either.
    assert "Seals" not in visitor.get(f"{HOME}/orders?per_page=50").body
    assert visitor.get(f"{HOME}/orders/record/e").status == 404
    assert visitor.get(f"{HOME}/places/record/vault").status == 404
    assert visitor.get(f"{HOME}/places/record/south").status == 200
    options = json.loads(visitor.get("https://depot.example/_records/places?q=").body)["records"]
    assert [each["id"] for each in options] == ["mill", "north", "shed", "south"]


def test_a_field_offers_the_records_whose_title_has_the_text(visitor: Visitor) -> None:
    body = visitor.get("https://depot.example/_records/people?q=mina+hol").body
    assert [each["title"] for each in json.loads(body)["records"]] == ["Mina Hold", "Mina Holt"]
    assert visitor.get("https://depot.example/_records/nonsense?q=").status == 404


def test_dates_are_relative_to_the_day_of_the_episode(visitor: Visitor) -> None:
    body = visitor.get(f"{HOME}/orders/record/a").body
    assert (date.today() - timedelta(3)).isoformat() in body
    assert (date.today() + timedelta(4)).isoformat() in body


def test_looking_changes_nothing(visitor: Visitor) -> None:
    for page in (
        "orders",
        "orders/record/a",
        "orders/edit/a",
        "orders/edit",
        "orders/convert/a",
        "orders/import",
    ):
        assert visitor.get(f"{HOME}/{page}").status == 200, page
    assert visitor.get(f"{HOME}/orders/merge?id=a&id=b").status == 200
    assert visitor.get(f"{HOME}/orders/history/a").status == 200
    assert all(rows(visitor, name) == {} for name in ("orders", "people", "places", "bills", "exports"))


# ---------------------------------------------------------------- forms


def test_a_new_record_is_stamped_and_numbered(visitor: Visitor) -> None:
    reply = send(
        visitor, "orders/create", what="Nets", place="north", amount="€1,234.50", tags="x; y", number="77"
    )
    made = rows(visitor, "orders")
    (row,) = made.values()
    assert reply.headers["location"] == f"/app/orders/record/{row['id']}"
    assert (row["number"], row["amount"], row["tags"]) == (4, 1234.5, ["x", "y"])
    assert (row["by"], row["placed"], row["state"]) == ("alexrivers", date.today().isoformat(), "open")


@pytest.mark.parametrize(
    ("fields", "wrong"),
    [
        ({"what": "", "place": "north"}, {"what": "What is required."}),
        ({"what": "Nets"}, {"place": "Place is required."}),
        ({"what": "Nets", "place": "nowhere"}, {"place": "Place: choose from the list."}),
        ({"what": "Nets", "place": "?North"}, {"place": "Place: choose from the list."}),
        ({"what": "ropes", "place": "north"}, {"what": "What has already been taken."}),
        (
            {"what": "Nets", "place": "north", "status": "sent"},
            {"status": "Status does not go with this state."},
        ),
        (
            {"what": "Nets", "place": "north", "state": "done", "status": "lost"},
            {"reason": "Reason is required."},
        ),
        (
            {"what": "Nets", "place": "north", "placed": "2026-02-02", "due": "2026-02-01"},
            {"due": "Due must not be before placed."},
        ),
        ({"what": "Nets", "place": "north", "due": "soon"}, {"due": None}),
        ({"what": "Nets", "place": "north", "amount": "much"}, {"amount": None}),
        ({"what": "N" * 31, "place": "north"}, {"what": None}),
        (
            {"what": "Nets", "place": "north", "helpers": "mina;nobody"},
            {"helpers": "Helpers: choose from the list."},
        ),
    ],
)
def test_a_form_with_a_wrong_value_changes_nothing(
    visitor: Visitor, fields: dict[str, str], wrong: dict[str, str | None]
) -> None:
    found = errors(send(visitor, "orders/create", **fields))
    assert found.keys() == wrong.keys()
    assert all(said is None or found[name] == said for name, said in wrong.items())
    assert rows(visitor, "orders") == {}


def test_what_is_taken_in_one_place_is_free_in_another(visitor: Visitor) -> None:
    assert send(visitor, "orders/create", what="Ropes", place="south").status == 303


def test_a_record_is_saved_field_by_field(visitor: Visitor) -> None:
    before = visitor.get(f"{HOME}/orders/edit/a").body
    version = re.search(r'name="_version" value="(\w+)"', before)
    assert version
    assert send(visitor, "orders/save", id="a", due="2027-01-01", _version=version[1]).status == 303
    assert rows(visitor, "orders")["a"]["due"] == "2027-01-01"
    assert rows(visitor, "orders")["a"]["what"] == "Ropes"
    # Somebody who opened the form before that is told.
    late = send(visitor, "orders/save", id="a", due="2028-01-01", _version=version[1])
    assert late.status == 409
    assert "in the meantime" in late.body
    assert rows(visitor, "orders")["a"]["due"] == "2027-01-01"
    assert "2027-01-01" in visitor.get(f"{HOME}/orders/history/a").body


def test_a_fixed_field_cannot_be_sent(visitor: Visitor) -> None:
    assert send(visitor, "orders/save", id="a", by="mina").status == 400
    assert rows(visitor, "orders") == {}


@pytest.mark.parametrize(
    ("what", "fields"),
    [
        ("people/save", {"id": "mina", "name": "M"}),
        ("people/export", {"all": "1"}),
        ("places/save", {"id": "vault", "name": "V"}),
        ("places/delete", {"id": "vault"}),
    ],
)
def test_a_role_decides_what_is_allowed(visitor: Visitor, what: str, fields: dict[str, str]) -> None:
    assert send(visitor, what, **fields).status in (403, 404)
    assert rows(visitor, what.partition("/")[0]) == {}


def test_a_role_in_a_place_allows_what_is_in_it(visitor: Visitor) -> None:
    assert send(visitor, "places/save", id="north", name="North Pier").status == 303
    assert rows(visitor, "places")["north"]["name"] == "North Pier"


def test_nobody_who_is_signed_out_changes_or_sees_anything(sandbox: Sandbox) -> None:
    episode = sandbox.open_episode("depot", signed_in=[])
    stranger = Visitor(sandbox.address, episode)
    assert stranger.get(f"{HOME}/orders").headers["location"].startswith("/login")
    assert stranger.get("https://depot.example/_records/people?q=").status == 401
    assert send(stranger, "orders/delete", id="a").status in (303, 401)
    assert rows(stranger, "orders") == {}
    episode.close()


# ---------------------------------------------------------------- several records


def test_several_records_are_changed_at_once_or_none(visitor: Visitor) -> None:
    reply = send(visitor, "orders/save", id=["a", "b"], state="done", status="sent")
    assert json.loads(reply.body)["said"] == "2 records were changed."
    assert {row["status"] for row in rows(visitor, "orders").values()} == {"sent"}
    assert send(visitor, "orders/save", id=["d", "nonsense"], state="done").status == 404
    assert "d" not in rows(visitor, "orders")


def test_a_whole_list_is_deleted_by_its_filter(visitor: Visitor) -> None:
    send(visitor, "orders/delete", all="1", state="open", place="north")
    assert rows(visitor, "orders") == {"a": None, "b": None, "d": None}
    assert listed(visitor) == ["Buoys"]


def test_nothing_selected_is_an_error(visitor: Visitor) -> None:
    assert send(visitor, "orders/delete").status == 404
    assert rows(visitor, "orders") == {}


def test_an_export_tells_what_was_exported(visitor: Visitor) -> None:
    send(visitor, "orders/export", all="1", place="north")
    send(visitor, "orders/export", id=["a", "b"])
    whole, some = rows(visitor, "exports").values()
    assert (whole["count"], whole["filter"], whole["by"]) == (3, "place=north", "alexrivers")
    assert some["count"] == 2
    assert whole["selection"].partition(":")[2] != some["selection"].partition(":")[2]


def test_merged_records_leave_one_with_the_chosen_values(visitor: Visitor) -> None:
    fields = {"id": ["mina", "mina-2"], "pick.name": "mina-2"}
    assert send(visitor, "people/merge", **fields).status == 404  # not among its bulk actions
    send(visitor, "orders/merge", id=["a", "b"], **{"pick.amount": "b"})
    merged = rows(visitor, "orders")
    assert merged["b"] is None
    assert (merged["a"]["amount"], merged["a"]["what"]) == (80.0, "Ropes")


def test_a_list_of_records_grows_and_shrinks(visitor: Visitor) -> None:
    send(visitor, "orders/relate", id="a", field="helpers", add="mina-2")
    assert rows(visitor, "orders")["a"]["helpers"] == ["mina", "mina-2"]
    send(visitor, "orders/relate", id="a", field="helpers", remove="mina")
    assert rows(visitor, "orders")["a"]["helpers"] == ["mina-2"]
    assert send(visitor, "orders/relate", id="a", field="what", add="x").status == 400


# ---------------------------------------------------------------- several modules


def test_a_conversion_makes_records_and_closes_the_old_one(visitor: Visitor) -> None:
    send(visitor, "orders/convert", id="a", **{"bills.text": "Ropes, paid"})
    assert rows(visitor, "bills") == {
        "bill/Ropes, paid": {"id": "bill/Ropes, paid", "text": "Ropes, paid", "gone": False}
    }
    assert rows(visitor, "orders")["a"]["status"] == "sent"
    assert errors(send(visitor, "orders/convert", id="b", **{"bills.text": ""})) == {
        "bills.text": "Text is required."
    }
    assert "b" not in rows(visitor, "orders")


def test_an_action_changes_several_modules_or_none(visitor: Visitor) -> None:
    reply = visitor.post("https://depot.example/app/north/begin", {"what": "Nets"})
    (order,) = rows(visitor, "orders").values()
    assert reply.headers["location"] == f"/app/orders/record/{order['id']}"
    assert (order["place"], order["tags"]) == ("north", ["quick"])
    assert [*rows(visitor, "bills")] == ["bill/for Nets"]
    # The second change fails, so the first one does not stay.
    send(visitor, "bills/create", text="for Lines")
    assert errors(visitor.post("https://depot.example/app/south/begin", {"what": "Lines"})) == {
        "text": "Text has already been taken."
    }
    assert len(rows(visitor, "orders")) == 1


def test_what_is_softly_deleted_stays_and_shows_no_more(visitor: Visitor) -> None:
    send(visitor, "bills/create", text="one")
    send(visitor, "bills/delete", id="bill/one")
    assert rows(visitor, "bills")["bill/one"]["gone"] is True
    assert "No bills found." in visitor.get(f"{HOME}/bills").body


def test_an_import_maps_columns_and_counts(visitor: Visitor) -> None:
    columns = {"file": "list", "map.0": "what", "map.1": "place", "map.2": "amount"}
    assert "map" in errors(send(visitor, "orders/import", file="list", **{"map.0": "what"}))
    assert "file" in errors(send(visitor, "orders/import", **{"map.0": "what"}))
    send(visitor, "orders/import", **columns, duplicates="what")
    (log,) = rows(visitor, "imports").values()
    assert (log["made"], log["duplicates"], log["errors"]) == (1, 1, 1)
    (made,) = rows(visitor, "orders").values()
    assert (made["what"], made["place"], made["amount"]) == ("Nets", "north", 1200.0)
    send(visitor, "orders/import", **columns, duplicates="what", on_duplicate="update")
    assert rows(visitor, "orders")["a"]["amount"] == 1.0
    before = rows(visitor, "orders")
    wrong = columns | {"map.1": "by", "map.2": "place"}
    send(visitor, "orders/import", **wrong, duplicates="what", on_duplicate="update")
    assert rows(visitor, "orders") == before
    log = list(rows(visitor, "imports").values())[-1]
    assert (log["made"], log["duplicates"], log["errors"]) == (0, 0, 3)


# ---------------------------------------------------------------- changes by actions of the site


def begin(visitor: Visitor, what: str, /, **fields: str) -> Reply:
    return visitor.post(f"https://depot.example/app/{what}", fields)


def test_a_field_names_who_has_a_role(visitor: Visitor) -> None:
    assert visitor.get(f"{HOME}/places/record/shed").status == 200
    assert send(visitor, "places/save", id="shed", name="Barn").status == 303


def test_records_with_some_values_demand_more(visitor: Visitor) -> None:
    assert send(visitor, "places/delete", id="shed").status == 403
    send(visitor, "places/save", id="shed", hidden="off")
    assert send(visitor, "places/delete", id="shed").status == 303


def test_nothing_changes_in_what_is_frozen(visitor: Visitor) -> None:
    assert send(visitor, "orders/create", what="Nets", place="mill").status == 403
    send(visitor, "places/save", id="mill", closed="off")
    assert send(visitor, "orders/create", what="Nets", place="mill").status == 303


def test_a_field_may_be_for_some_roles_only(visitor: Visitor) -> None:
    assert send(visitor, "places/save", id="north", stock="4").status == 403
    assert rows(visitor, "places") == {}


def test_a_number_grows_when_the_record_is_fit_for_it(visitor: Visitor) -> None:
    assert begin(visitor, "north/stock").status == 200
    assert rows(visitor, "places") == {}, "left out without the word"
    begin(visitor, "north/stock", sure="yes")
    begin(visitor, "north/stock", sure="yes")
    assert rows(visitor, "places")["north"]["visits"] == 4
    assert begin(visitor, "mill/stock", sure="yes").status == 409
    assert begin(visitor, "nowhere/stock", sure="yes").status == 404


def test_one_request_makes_a_record_for_each_value(visitor: Visitor) -> None:
    reply = begin(visitor, "x/several", title="North Quay", names="Nets;Lines;Nets")
    assert json.loads(reply.body)["said"] == "2 made"
    assert sorted(row["what"] for row in rows(visitor, "orders").values()) == ["Lines", "Nets"]
    assert errors(begin(visitor, "x/several", title="North Quay", names="")) == {"what": "What is required."}
    assert begin(visitor, "x/several", title="Vault", names="Hooks").status == 404
    assert begin(visitor, "x/several", title="North Quay", names="Hooks;Ropes").status == 422
    assert len(rows(visitor, "orders")) == 2


@pytest.mark.parametrize("sent", ["[", "[1]", '[{"id": 3}]', '[{"id": "nowhere", "sum": "1"}]', "[" * 5000])
def test_rows_that_cannot_be_read_change_nothing(visitor: Visitor, sent: str) -> None:
    assert begin(visitor, "x/rows", rows=sent).status in (400, 404)
    assert rows(visitor, "orders") == {}


def test_one_request_changes_several_rows_or_none(visitor: Visitor) -> None:
    begin(visitor, "x/rows", rows=json.dumps([{"id": "a", "sum": "5"}, {"id": "b", "sum": "6"}]))
    assert [rows(visitor, "orders")[name]["amount"] for name in "ab"] == [5.0, 6.0]
    begin(visitor, "x/rows", rows=json.dumps([{"id": "a", "sum": "7"}, {"id": "b", "sum": "much"}]))
    assert rows(visitor, "orders")["a"]["amount"] == 5.0


def test_records_are_found_by_constants_too(visitor: Visitor) -> None:
    begin(visitor, "north/own")
    assert rows(visitor, "orders") == {"a": None, "b": None, "d": None}
    assert begin(visitor, "south/own").status == 200
    assert "c" not in rows(visitor, "orders")


def test_a_record_is_put_where_it_is_or_made(visitor: Visitor) -> None:
    begin(visitor, "x/put", text="one", gone="off")
    begin(visitor, "x/put", text="one", gone="on")
    assert rows(visitor, "bills") == {"bill/one": {"id": "bill/one", "text": "one", "gone": True}}


def test_records_are_copied_with_other_values(visitor: Visitor) -> None:
    begin(visitor, "south/like", what="Buoys")
    (copy,) = rows(visitor, "orders").values()
    assert (copy["what"], copy["place"], copy["amount"], copy["number"]) == ("like Buoys", "north", 80.0, 4)


# ---------------------------------------------------------------- state


def test_the_state_has_only_what_differs_from_the_company(visitor: Visitor, episode: EpisodeHandle) -> None:
    state = episode.state()["sites"]["depot"]["collections"]["orders"]
    assert (state["rows"], len(state["company"])) == ({}, 16)
    send(visitor, "orders/save", id="a", reason="first")
    send(visitor, "orders/save", id="a", reason="")
    assert rows(visitor, "orders") == {}, "what is as before is no difference"


def test_an_initial_state_adds_to_the_company(sandbox: Sandbox) -> None:
    episode = sandbox.open_episode("depot", signed_in=["depot"])
    given = [{"id": "a", "what": "Chains"}, {"id": "new", "what": "Hooks", "place": "north"}]
    episode.patch("depot", collections={"orders": given})
    visitor = Visitor(sandbox.address, episode)
    assert listed(visitor) == ["Anchors", "Buoys", "Chains"]
    assert {name: row["what"] for name, row in rows(visitor, "orders").items()} == {
        "a": "Chains",
        "new": "Hooks",
    }
    episode.close()


def test_a_snapshot_and_a_fork_keep_the_differences_and_the_day(sandbox: Sandbox, visitor: Visitor) -> None:
    assert visitor.episode is not None
    send(visitor, "orders/delete", id="a")
    fork = visitor.episode.fork()
    assert fork.state()["sites"]["depot"]["collections"]["orders"]["rows"] == {"a": None}
    assert fork.state()["day"] == visitor.episode.state()["day"] == date.today().isoformat()
    fork.close()


# ---------------------------------------------------------------- declarations


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("required: [what, place]", "required: [wat]", 'unknown field "wat"; did you mean "what"?'),
        (
            "of: places}\n      state",
            "of: plaices}\n      state",
            'unknown module "plaices"; did you mean "places"?',
        ),
        ("imports: files", "imports: fails", 'unknown module "fails"'),
        ("{module: people, field: helpers, link: true}", "{module: people}", "give one of by and field"),
        ("people: {module: people, role", "people: {module: persons, role", 'unknown module "persons"'),
        (
            "does: create, fields: {what: what}",
            "does: create, fields: {wot: what}",
            'orders has no field "wot"',
        ),
    ],
)
def test_what_does_not_fit_is_an_error(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in SITE
    with pytest.raises(SiteError) as raised:
        load_site(write_depot(tmp_path / "depot", SITE.replace(old, new, 1)))
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("orders", "id,wat\na,x\n", 'unknown field "wat"; did you mean "what"?'),
        ("orders", "what\nx\n", 'needs a first line with "id"'),
        ("orders", "id,what\na,x\na,y\n", 'orders.csv:3: the id "a" is given twice'),
        ("orders", "id,what\na\n", "orders.csv:2: needs 2 fields"),
        ("orders", "id,due\na,soon\n", "a: due: 'soon' is not a date"),
        ("orders", "id,state\na,maybe\n", "a: state: 'maybe' is not one of"),
    ],
)
def test_a_wrong_file_of_the_company_says_where(tmp_path: Path, name: str, text: str, said: str) -> None:
    site = load_site(write_depot(tmp_path / "depot", **{name: text}))
    shared = site.collections[name].shared
    assert shared is not None
    with pytest.raises(CompanyError) as raised:
        shared.on(date.today())
    assert said in str(raised.value)
