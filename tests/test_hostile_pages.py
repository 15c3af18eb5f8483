"""Pages that misbehave: a step comes back within its deadline with an honest outcome, and the next reset works."""

from __future__ import annotations

import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Error as PlaywrightError

from websp_gym.agents import make_agent
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.errors import WebspError
from websp_gym.runner.batch import run_episode

DEADLINE = 1.0
MARGIN = 8.0
"""Seconds a page is given to be closed and its browser to be killed, on a machine that is busy."""

# What a page does a moment after it was loaded.
SOON = {
    "endless loop": "while (true);",
    "endless loop in a microtask": "const go = () => Promise.resolve().then(go); go();",
    "endless alerts": "for (;;) alert('again');",
    "endless confirms": "while (!confirm('sure?'));",
    "endless prompts": "while (!prompt('name?'));",
    "catastrophic regular expression": "/^(a+)+$/.test('a'.repeat(40) + 'b');",
    "pushState in a loop": "for (;;) history.pushState(1, '', '#' + Math.random());",
    "replaceState in a loop": "for (;;) history.replaceState(1, '', '#' + Math.random());",
    "location hash in a loop": "setInterval(() => { location.hash = Math.random(); }, 0);",
    "reloads for ever": "setInterval(() => location.reload(), 50);",
    "goes back and forth": "setInterval(() => { history.back(); history.forward(); }, 10);",
    "20,000 buttons": "document.body.innerHTML = '<button>b</button>'.repeat(20000);",
    "100,000 buttons": "document.body.innerHTML = '<button>b</button>'.repeat(100000);",
    "huge title": "document.title = 'x'.repeat(5e7);",
    "huge label": "document.body.innerHTML = '<button id=b>b</button>'; "
    "document.getElementById('b').ariaLabel = 'x'.repeat(5e7);",
    "huge text in a button": "document.body.innerHTML = '<button id=b></button>'; "
    "document.getElementById('b').textContent = 'x'.repeat(2e7);",
    "huge field value": "document.body.innerHTML = '<input id=i>'; i.value = 'x'.repeat(5e7);",
    "huge link address": "document.body.innerHTML = '<a id=l>link</a>'; l.href = '/' + 'x'.repeat(1e7);",
    "50,000 elements deep": "let at = document.body; for (let i = 0; i < 50000; i++) "
    "at = at.appendChild(document.createElement('div'));",
    "200 windows": "for (let i = 0; i < 200; i++) window.open('about:blank');",
    "windows for ever": "setInterval(() => window.open('about:blank'), 20);",
    "memory bomb": "const held = []; for (let i = 0; i < 60; i++) held.push(new Array(1e7).fill(i)); "
    "window.held = held;",
    "giant blur": "document.body.innerHTML = "
    "'<div style=\"position:fixed;inset:0;backdrop-filter:blur(400px)\"></div>'.repeat(400);",
    "giant page": "document.body.innerHTML = '<div style=\"width:1e7px;height:1e7px\">x</div>';",
    "beforeunload that never returns": "onbeforeunload = () => { while (true); }; location.href = '/';",
    "beforeunload that asks": "onbeforeunload = event => { event.preventDefault(); return 'no'; }; location.href = '/';",
    "pagehide that never returns": "onpagehide = () => { while (true); }; location.href = '/';",
    "200 sandboxed frames": "document.body.innerHTML = '<iframe sandbox srcdoc=hi></iframe>'.repeat(200);",
    "looping frames": "document.body.innerHTML = "
    "'<iframe sandbox=allow-scripts srcdoc=\"<script>while(1);</script>\"></iframe>'.repeat(8);",
    "1,000 frames": "document.body.innerHTML = '<iframe></iframe>'.repeat(1000);",
    "a frame inside itself": "document.body.innerHTML = '<iframe src=\"/\"></iframe>';",
    "frames that come and go": "setInterval(() => { document.body.innerHTML = '<iframe></iframe>'; }, 10);",
    "getter that loops": "Object.defineProperty(document, 'body', {get() { while (true); }});",
    "getter that throws": "Object.defineProperty(document, 'title', {get() { throw new Error('no'); }});",
    "thenable prototype": "Object.prototype.then = function () {};",
    "looping thenable": "Object.prototype.then = function () { while (true); };",
    "replaced map": "Array.prototype.map = () => { throw new Error('no'); };",
    "replaced push": "Array.prototype.push = () => 0;",
    "replaced JSON": "JSON.stringify = () => 'garbage'; JSON.parse = () => 7;",
    "toJSON on all objects": "Object.prototype.toJSON = () => 'forged'; Array.prototype.toJSON = () => 'x';",
    "replaced Promise": "window.Promise = class { then() {} };",
    "replaced timers": "window.setTimeout = window.requestAnimationFrame = () => 0;",
    "replaced MutationObserver": "window.MutationObserver = class { observe() {} };",
    "replaced getBoundingClientRect": "Element.prototype.getBoundingClientRect = () => ({x: NaN});",
    "replaced elementFromPoint": "Document.prototype.elementFromPoint = () => { while (true); };",
    "replaced getComputedStyle": "window.getComputedStyle = () => { throw 1; };",
    "setter on Object.prototype": "Object.defineProperty(Object.prototype, 'index', {set() { throw 1; }, get() { return -1; }});",
    "clobbered form": "document.body.innerHTML = "
    "'<form><input name=parentNode><input name=children><input name=tagName><button>b</button></form>';",
    "clobbered document": "document.body.innerHTML = '<img name=body><img name=documentElement><form name=forms>';",
    "scripts of ours spoiled": "try { for (const k of Object.keys(globalThis.__websp ?? {})) "
    "__websp[k] = () => { while (true); }; } catch {}",
    "document written away": "document.open(); document.write('<p>new</p>');",
    "document removed": "document.documentElement.remove();",
    "page closes itself": "window.close();",
    "fullscreen and pointer lock": "document.onclick = () => { document.documentElement.requestFullscreen(); "
    "document.documentElement.requestPointerLock(); };",
    "print dialog": "print();",
    "file picker": "document.body.innerHTML = '<input type=file id=f>'; document.onclick = () => f.click();",
    "download": "location.href = URL.createObjectURL(new Blob(['x'], {type: 'application/octet-stream'}));",
    "mailto": "location.href = 'mailto:x@y.example';",
    "an address that is none": "location.href = 'http://[';",
    "javascript address": "location.href = 'javascript:while(1);';",
    "a request that never ends": "fetch('/').then(() => new Promise(() => {})); new EventSource('/nothing');",
    "10,000 requests": "for (let i = 0; i < 10000; i++) fetch('/?' + i).catch(() => {});",
    "a ticker in every node": "document.body.innerHTML = '<p>1</p>'.repeat(2000); "
    "setInterval(() => { for (const p of document.querySelectorAll('p')) p.textContent = Math.random(); }, 5);",
    "animations without end": "document.body.innerHTML = '<style>@keyframes k{to{opacity:0}}"
    "p{animation:k 9s infinite}</style>' + '<p>x</p>'.repeat(3000);",
    "steals the focus": "document.body.innerHTML = '<input id=a><input id=b>'; "
    "setInterval(() => { (document.activeElement === a ? b : a).focus(); }, 1);",
    "moves what is pointed at": "document.body.innerHTML = '<button id=b style=position:fixed>b</button>'; "
    "onmousemove = () => { b.style.left = 900 * Math.random() + 'px'; };",
    "removes what is pressed": "document.body.innerHTML = '<button>b</button>'; "
    "onmousedown = event => event.target.remove();",
    "loops when clicked": "document.body.innerHTML = '<button>b</button>'; onclick = () => { while (true); };",
    "alerts when clicked": "document.body.innerHTML = '<button>b</button>'; onclick = () => { for (;;) alert(); };",
    "shadow roots without end": "customElements.define('x-a', class extends HTMLElement { connectedCallback() { "
    "if (document.querySelectorAll('*').length < 9e4) this.attachShadow({mode: 'open'}).innerHTML = '<x-a></x-a>'; } });"
    "document.body.innerHTML = '<x-a></x-a>';",
    "half characters": "document.title = '\\ud83d'; document.body.innerHTML = '<button>\\ud800 \\udfff</button>';",
    "control characters": "document.title = '\\u0000\\u202e\\u2028'; "
    "document.body.innerHTML = '<button>\\u202e\\u0007</button>';",
}


@pytest.fixture(scope="module")
def env() -> Iterator[WebspEnv]:
    env = make_env("Steam-task-191-ON", initial_state="snapshot", viewport=(640, 480), step_timeout=DEADLINE)
    yield env
    env.close()


@pytest.mark.parametrize("name", SOON)
def test_a_step_on_a_page_that_misbehaves_comes_back(env: WebspEnv, name: str) -> None:
    # What the page before did is over: this reset works.
    env.reset(seed=0)
    try:
        env.page.evaluate(f"() => {{ setTimeout(() => {{ {SOON[name]} }}, 0); }}")
    except PlaywrightError as error:
        pytest.fail(f"the page could not be prepared: {error}")
    for action in ("Wait", "Click [0]", "ANSWER; done"):
        began = time.monotonic()
        try:
            _, reward, terminated, truncated, info = env.step(action)
        except WebspError:
            break
        finally:
            took = time.monotonic() - began
            assert took < DEADLINE + MARGIN, f"{action} took {took:.1f} s"
        assert reward == 0.0
        if terminated or truncated:
            assert info["verdict"]["status"] == "fail"
            assert info["caused_by"] == "agent"
            break
    else:
        pytest.fail("the episode did not end with its answer")


def test_what_a_page_left_to_draw_does_not_delay_the_next_episode(env: WebspEnv) -> None:
    """Drawing goes on for half a minute after such a page is closed."""
    env.reset(seed=0)
    slow = env.page.context.browser
    env.page.evaluate(f"() => {{ setTimeout(() => {{ {SOON['giant blur']} }}, 0); }}")
    *_, truncated, info = env.step("Wait")
    assert (truncated, info["reason"]) == (True, "unresponsive")
    env.reset(seed=0)
    assert slow is not env.page.context.browser


def test_a_browser_in_use_is_kept_when_a_page_of_it_does_not_respond(env: WebspEnv) -> None:
    other = make_env("Steam-task-191-ON", initial_state="snapshot", viewport=(640, 480))
    try:
        other.reset(seed=0)
        env.reset(seed=0)
        env.page.evaluate("() => { setTimeout(() => { while (true); }, 0); }")
        *_, info = env.step("Wait")
        assert info["reason"] == "unresponsive"
        env.reset(seed=0)
        assert other.step("ANSWER; done")[2]
        assert env.page.context.browser is other.page.context.browser
    finally:
        other.close()


def test_after_a_page_that_misbehaved_the_instance_is_solved(env: WebspEnv) -> None:
    env.reset(seed=0)
    env.page.evaluate("() => { setTimeout(() => { while (true); }, 0); }")
    *_, truncated, info = env.step("Wait")
    assert (truncated, info["reason"], info["verdict"]["score"]) == (True, "unresponsive", 0.0)
    assert run_episode(env, make_agent("oracle")).reward == 1.0
