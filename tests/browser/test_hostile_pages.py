"""Pages that misbehave: a step comes back with an honest outcome, and the next reset works.

``make test`` tries one page of each kind, ``make prove`` all of them. How long a step takes is not measured: a busy machine
may need minutes to close a page and to kill its browser, and a step that does not come back ends the run by pytest's timeout.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress

import pytest
from playwright.sync_api import Error as PlaywrightError

from tests.sample import long_proof
from websp_gym.agents import make_agent
from websp_gym.browser.launch import BrowserOptions, new_context, shared_browser
from websp_gym.browser.owner import call
from websp_gym.browser.pulse import Pulse
from websp_gym.env import WebspEnv
from websp_gym.env.registration import make_env
from websp_gym.errors import WebspError, WorldError
from websp_gym.runner.batch import run_episode

pytestmark = pytest.mark.timeout(600)
DEADLINE = 1.0
TRIES = 4
"""On a busy machine any browser stands still for a while; that a page does not make it so shows in one try of these."""
SMOKE = (
    "endless alerts",
    "reloads for ever",
    "20,000 buttons",
    "huge title",
    "windows for ever",
    "beforeunload that never returns",
    "looping frames",
    "getter that loops",
    "setter on Object.prototype",
    "page closes itself",
    "print dialog",
    "loops when clicked",
    "half characters",
)
"""A page of each kind: dialogs, navigation, size, windows, endings, frames, spoiled scripts, actions, texts."""

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
    "filters to draw without end": "document.body.innerHTML='<svg width=2000 height=2000><filter id=f><feTurbulence "
    "numOctaves=30 baseFrequency=.9 /><feGaussianBlur stdDeviation=200 /></filter>'+'<rect "
    "width=2000 height=2000 filter=url(#f) />'.repeat(30)+'</svg>';",
    "a drawing of a billion shapes": "let s='<g id=a0><rect width=9 height=9 /></g>'; for(let i=1;i<10;i++) s+=`<g id=a${"
    "i}>`+`<use href=#a${i-1} />`.repeat(10)+'</g>'; "
    "document.body.innerHTML='<svg><defs>'+s+'</defs><use href=#a9 /></svg>';",
    "canvases of a gigabyte": "for(let i=0;i<8;i++){const c=document.createElement('canvas');c.width=c.height=16000;"
    "c.getContext('2d').fillRect(0,0,16000,16000);document.body.append(c)}",
    "a shader without end": "const c=document.createElement('canvas'),g=c.getContext('webgl');document.body.append(c);"
    "const p=g.createProgram();for(const [t,x] of [[g.VERTEX_SHADER,'attribute vec4 p;void "
    "main(){gl_Position=p;}'],[g.FRAGMENT_SHADER,'precision highp float;void main(){float a=0.;"
    "for(int i=0;i<100000000;i++){a+=sin(float(i)*gl_FragCoord.x);}gl_FragColor=vec4(a);}']]){"
    "const s=g.createShader(t);g.shaderSource(s,x);g.compileShader(s);g.attachShader(p,"
    "s)}g.linkProgram(p);g.useProgram(p);g.bufferData(g.ARRAY_BUFFER,new Float32Array(12),"
    "g.STATIC_DRAW);for(;;)g.drawArrays(g.TRIANGLES,0,3);",
    "selectors without end": "document.head.innerHTML='<style>:has(:has(*)),*:has(~ *:has(+ * > *)){color:red}'+'*:has(* "
    "* * * *) ~ * {top:1px}'.repeat(200)+'</style>';"
    "document.body.innerHTML='<div>'.repeat(300)+'<p>x</p>'.repeat(3000);"
    "setInterval(()=>document.body.firstChild.toggleAttribute('x'),1);",
    "a grid of thousands of columns": "document.body.innerHTML='<div style=\"display:grid;grid-template-columns:repeat(auto-fill,"
    "1px)\">'+'<p style=\"grid-column:span 900\">x</p>'.repeat(3000)+'</div>';",
    "flexible boxes 400 deep": "let t='<button>b</button>';for(let i=0;i<400;i++)t='<div style=\"display:flex;"
    "flex-direction:column\">'+t+'</div>';document.body.innerHTML=t;",
    "3,000 fonts": "for(let i=0;i<3000;i++){const f=new FontFace('f'+i,'url(/?f'+i+')');document.fonts.add(f);"
    "f.load().catch(()=>{})}document.body.style.fontFamily='f1,f2';",
    "observer that answers itself": "new MutationObserver(()=>{document.body.dataset.x=Math.random()}).observe(document.body,{"
    "attributes:true});document.body.dataset.x=1;",
    "observer that adds elements": "new MutationObserver(()=>{"
    "document.body.append(document.createElement('p'))}).observe(document.body,{childList:true});"
    "document.body.append('x');",
    "observer that resizes": "const d=document.body.appendChild(document.createElement('div'));new ResizeObserver(()=>{"
    "d.style.width=Math.random()*500+'px'}).observe(d);",
    "element whose constructor loops": "customElements.define('y-b',class extends HTMLElement{constructor(){super();while(true);}});"
    "document.body.innerHTML='<y-b></y-b>';",
    "proxy under the window": "Object.setPrototypeOf(window.__proto__.__proto__,new Proxy({},{get(t,k){while(k==='websp');"
    "},has(){return true}}));",
    "iterators without end": "Array.prototype[Symbol.iterator]=function*(){while(true)yield 1};"
    "String.prototype[Symbol.iterator]=Array.prototype[Symbol.iterator];",
    "forged sizes of the window": "Object.defineProperty(window,'visualViewport',{get(){throw 1}});"
    "Object.defineProperty(window,'innerWidth',{get(){return -1e9}});"
    "Object.defineProperty(window,'devicePixelRatio',{get(){return 1e9}});",
    "a page a million times as large": "document.body.style.zoom='1000';document.documentElement.style.transform='scale(1e6)';",
    "buttons without an area": "document.body.innerHTML='<button style=\"transform:matrix3d(0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,"
    '0)">b</button><button style="transform:scale(1e-30)">c</button>\';',
    "loops when dragged": "document.body.innerHTML='<button draggable=true style=\"width:90vw;height:90vh\">b</button>';"
    "onmousedown=()=>{while(true);};",
    "500 modal dialogs": "for(let i=0;i<500;i++){const d=document.createElement('dialog');"
    "d.innerHTML='<button>b</button>';document.body.append(d);d.showModal()}",
    "a list of 100,000 options": "document.body.innerHTML='<select id=s>'+'<option>o</option>'.repeat(100000)+'</select>';",
    "2,500 oscillators": "for(let i=0;i<50;i++){const a=new AudioContext();for(let j=0;j<50;j++){const "
    "o=a.createOscillator();o.connect(a.destination);o.start()}}",
    "endless loop in WebAssembly": "const b=new Uint8Array([0,97,115,109,1,0,0,0,1,4,1,96,0,0,3,2,1,0,7,5,1,1,114,0,0,10,9,1,7,"
    "0,3,64,12,0,11,11]);WebAssembly.instantiate(b).then(m=>m.instance.exports.r());",
    "memory bomb in WebAssembly": "const m=[];for(let i=0;i<20;i++)m.push(new WebAssembly.Memory({initial:8000}));window.m=m;"
    "m.forEach(x=>new Uint8Array(x.buffer).fill(1));",
    "100 shared workers": "for(let i=0;i<100;i++)new SharedWorker(URL.createObjectURL(new Blob(['while(1);'])),'n'+i);",
    "synchronous requests in a loop": "for(;;){const x=new XMLHttpRequest();x.open('GET','/?'+Math.random(),false);x.send()}",
    "a stream without end": "const r=new ReadableStream({pull(c){c.enqueue(new Uint8Array(1e6))}});(async()=>{for "
    "await(const x of r);})();",
    "a database written for ever": "const q=indexedDB.open('d');q.onupgradeneeded=()=>q.result.createObjectStore('s');"
    "q.onsuccess=()=>{const go=()=>{const t=q.result.transaction('s','readwrite');for(let i=0;"
    "i<50;i++)t.objectStore('s').put('x'.repeat(1e5),Math.random());t.oncomplete=go};go()};",
    "beacons for ever": "setInterval(()=>{for(let i=0;i<50;i++)navigator.sendBeacon('/?'+Math.random(),'x')},0);",
    "200 plug-ins": "document.body.innerHTML='<object data=/ ></object><embed src=/ >'.repeat(100);",
    "document written anew for ever": "setInterval(()=>{document.open();document.write('<button>b</button>');document.close()},1);",
    "frames named like globals": "document.body.innerHTML=['top','parent','self','frames','websp','__websp','length','closed',"
    "'location','document'].map(n=>`<iframe name=${n}></iframe><a id=${n}>x</a>`).join('');",
    "a name of 5,000 parts": "document.body.innerHTML='<p id=p>'+'x'.repeat(1000)+'</p>'+('<button aria-labelledby=\"'+'p "
    "'.repeat(5000)+'\">b</button>').repeat(50);",
    "slots 800 deep": "const h=document.body.appendChild(document.createElement('div'));let r=h;for(let i=0;i<800;"
    "i++){const s=r.attachShadow({mode:'open'});s.innerHTML='<div><slot></slot></div>';"
    "r=s.firstChild}",
    "popup that loops": "const w=open('about:blank');w.eval('setTimeout(()=>{while(1);},10)');",
    "types and copies for ever": "document.designMode='on';setInterval(()=>{document.execCommand('insertText',false,"
    "'x'.repeat(1000));document.execCommand('copy')},0);",
    "a number that squares itself": "let b=3n;for(;;)b=b*b;",
    "errors of a megabyte": "setInterval(()=>{const f=()=>f();Promise.reject(new Error('x'.repeat(1e6)));try{"
    "f()}catch(e){throw e}},0);",
    "console messages": "setInterval(() => { for (let i = 0; i < 2000; i++) console.log('x'.repeat(1000)); }, 0);",
}
# What keeps browser, driver and server busy, so that their answers come late.
FLOODS = {
    "navigations of frames": "document.body.innerHTML = '<iframe></iframe>'.repeat(20); const all = "
    "[...document.querySelectorAll('iframe')]; setInterval(() => all.forEach(one => { one.src = "
    "'/?' + Math.random(); }), 0);",
    "frames of blobs": "const one = document.body.appendChild(document.createElement('iframe')); setInterval(() => {"
    " one.src = URL.createObjectURL(new Blob(['<p>x'])); }, 0);",
    "pictures": "setInterval(() => { for (let i = 0; i < 200; i++) new Image().src = '/?' + Math.random(); },"
    " 0);",
    "windows opened and closed": "setInterval(() => { const one = open('about:blank'); one && one.close(); }, 0);",
    "windows closed a moment later": "setInterval(() => { const one = open('about:blank'); setTimeout(() => one && one.close(), "
    "30); }, 60);",
    "messages to frames": "document.body.innerHTML = '<iframe srcdoc=\"<script>onmessage = event => "
    "event.source.postMessage(1, `*`)</script>\"></iframe>'.repeat(5); onmessage = event => "
    "event.source.postMessage(1, '*'); setTimeout(() => { for (const one of "
    "document.querySelectorAll('iframe')) for (let i = 0; i < 100; i++) "
    "one.contentWindow.postMessage(1, '*'); }, 100);",
    "workers": "setInterval(() => { const one = new Worker(URL.createObjectURL(new Blob(['while (1);']))); "
    "setTimeout(() => one.terminate(), 100); }, 1);",
    "print dialogs": "setInterval(print, 0);",
    "cookies": "setInterval(() => { for (let i = 0; i < 100; i++) document.cookie = 'a' + Math.random() + "
    "'=' + 'x'.repeat(3000); }, 0);",
}
# The same, by a script that each document runs again.
IN_EVERY_DOCUMENT = {
    "replaces itself for ever": "setInterval(() => location.replace('/?' + Math.random()), 0);",
    "replaces itself at once": "location.replace('/?' + Math.random());",
    "frames that replace themselves": "if (top === self) addEventListener('DOMContentLoaded', () => { "
    "document.body.innerHTML = '<iframe src=/?a></iframe>'.repeat(10); }); else location.replace('/?' + Math.random());",
}


@pytest.fixture(scope="module")
def env() -> Iterator[WebspEnv]:
    env = make_env("Steam-task-191-ON", initial_state="snapshot", viewport=(640, 480), step_timeout=DEADLINE)
    yield env
    env.close()


@pytest.mark.parametrize("name", long_proof(SOON, SMOKE))
def test_a_step_on_a_page_that_misbehaves_comes_back(env: WebspEnv, name: str) -> None:
    # What the page before did is over: this reset works.
    env.reset(seed=0)
    try:
        env.page.evaluate(f"() => {{ setTimeout(() => {{ {SOON[name]} }}, 0); }}")
    except PlaywrightError as error:
        pytest.fail(f"the page could not be prepared: {error}")
    with suppress(WebspError):
        _lose(env)


@pytest.mark.parametrize("name", long_proof(FLOODS, ["frames of blobs"]))
def test_a_page_that_floods_the_browser_is_not_a_failure_of_the_world(env: WebspEnv, name: str) -> None:
    def flood() -> None:
        env.page.evaluate(f"() => {{ setTimeout(() => {{ {FLOODS[name]} }}, 0); }}")

    _lose_in_one_try(env, flood)


@pytest.mark.parametrize("name", long_proof(IN_EVERY_DOCUMENT, ["replaces itself at once"]))
def test_a_page_that_navigates_for_ever_is_not_a_failure_of_the_world(env: WebspEnv, name: str) -> None:
    def navigate() -> None:
        env.page.context.add_init_script(IN_EVERY_DOCUMENT[name])
        env.page.evaluate("() => { setTimeout(() => location.reload(), 0); }")

    _lose_in_one_try(env, navigate)


def _lose_in_one_try(env: WebspEnv, begin: Callable[[], None]) -> None:
    for left in reversed(range(TRIES)):
        env.reset(seed=0)
        begin()
        try:
            _lose(env)
            return
        except WorldError:
            if not left:
                raise


def _lose(env: WebspEnv) -> None:
    """Play to the end, which is the agent's failure."""
    for action in ("Wait", "Click [0]", "ANSWER; done"):
        _, reward, terminated, truncated, info = env.step(action)
        assert reward == 0.0
        if terminated or truncated:
            assert info["verdict"]["status"] == "fail"
            assert info["caused_by"] == "agent"
            return
    pytest.fail("the episode did not end with its answer")


def test_the_flood_of_one_page_is_not_taken_for_that_of_another(env: WebspEnv) -> None:
    env.reset(seed=0)

    def messages() -> list[int]:
        flooding, quiet = env.page.context, new_context(shared_browser(BrowserOptions()), viewport=(640, 480))
        page = quiet.new_page()
        counts = [Pulse(context) for context in (flooding, quiet)]
        for each in counts:
            each.start()
        env.page.evaluate("() => { for (let i = 0; i < 200; i++) new Image().src = '/?' + Math.random(); }")
        deadline = time.monotonic() + 150  # a busy machine takes its time
        while counts[0].messages <= 100 and time.monotonic() < deadline:
            page.wait_for_timeout(50)
        for each in counts:
            each.stop()
        quiet.close()
        return [each.messages for each in counts]

    of_flooding, of_quiet = call(messages)
    assert of_flooding > 100
    assert of_quiet < 10


def test_pending_drawing_of_a_page_does_not_delay_the_next_episode(env: WebspEnv) -> None:
    """Drawing goes on for half a minute after such a page is closed."""
    env.reset(seed=0)
    slow = env.page.context.browser
    env.page.evaluate(f"() => {{ setTimeout(() => {{ {SOON['giant blur']} }}, 0); }}")
    *_, truncated, info = env.step("Wait")
    assert (truncated, info["reason"]) == (True, "unresponsive")
    env.reset(seed=0)
    assert slow != env.page.context.browser


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
        assert env.page.context.browser == other.page.context.browser
    finally:
        other.close()


def test_after_a_page_that_misbehaved_the_instance_is_solved(env: WebspEnv) -> None:
    env.reset(seed=0)
    env.page.evaluate("() => { setTimeout(() => { while (true); }, 0); }")
    *_, truncated, info = env.step("Wait")
    assert (truncated, info["reason"], info["verdict"]["score"]) == (True, "unresponsive", 0.0)
    assert run_episode(env, make_agent("oracle")).reward == 1.0
