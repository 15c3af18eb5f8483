// @ts-check
/* What every page of the app has: header, menu, footer, and the card of a course. */
import { freshId, h } from "./dom.js";

/** @typedef {import("./app.js").State} State */
/** @typedef {import("./app.js").Course} Course */
/** @typedef {import("./app.js").Update} Update */

/** @type {(d: string, size?: number) => Element} */
export const icon = (d, size = 16) => h("svg", { width: size, height: size, viewBox: "0 0 16 16", fill: "none", stroke: "currentColor", "stroke-width": 1.6, "aria-hidden": "true" }, h("path", { d }));
const STAR = "m8 1 2.1 4.6 5 .6-3.7 3.4 1 5L8 12l-4.4 2.6 1-5L1 6.2l5-.6z";

/** @type {(state: State, update: Update, end: Element[]) => Element} */
export function header(state, update, end) {
  const menu = freshId();
  return h("header", {},
    state.account ? h("a", { class: "skip", href: "#main" }, "Skip to Main Content") : h("nav", { class: "audience", "aria-label": "Audience" }, ["Individuals", "Businesses", "Universities", "Governments"].map((name, index) =>
      h("a", { class: index ? "who" : "who who-on", href: index ? "/about" : "/" }, "For ", h("strong", {}, name)))),
    h("div", { class: "bar" },
      h("a", { class: "wordmark", href: "/", "aria-label": "Coursera home" }, "coursera"),
      h("button", { class: "explore", type: "button", key: "explore", "aria-expanded": String(state.menu), "aria-controls": menu, onclick: () => update({ menu: !state.menu }) }, "Explore", icon(state.menu ? "m4 10 4-4 4 4" : "m4 6 4 4 4-4")),
      h("form", { class: "search", role: "search", action: "/search", method: "get" },
        h("input", { id: "search-autocomplete-input", class: "search-field", name: "query", type: "text", autocomplete: "off", placeholder: "What do you want to learn?", "aria-label": "What do you want to learn?", value: state.query.query ?? "" }),
        h("button", { class: "search-go", type: "submit", "aria-label": "Submit Search" }, icon("M7 12A5 5 0 1 1 7 2a5 5 0 0 1 0 10Zm4-1 3 3"))),
      end),
    state.menu ? h("div", { class: "mega", id: menu },
      h("div", {}, h("h2", { class: "mega-title" }, "Explore topics"), state.catalog.topics.map((topic) => h("a", { href: `/browse/${topic.id}`, class: "mega-link" }, topic.label))),
      h("div", {}, h("h2", { class: "mega-title" }, "Earn a certificate"), state.catalog.courses.filter((course) => course.kind !== "Course").map((course) => h("a", { href: `/learn/${course.slug}`, class: "mega-link" }, course.title))),
      h("div", {}, h("h2", { class: "mega-title" }, "Not sure where to begin?"), h("a", { href: "/browse", class: "mega-link" }, "Browse all courses"), h("a", { href: "/learn/learning-to-learn-again", class: "mega-link" }, "Start with how to learn"))) : null);
}

/** The end of the header for those who are not signed in. @type {() => Element[]} */
export const guestHeader = () => [h("a", { class: "plain", href: "/browse" }, "Degrees"), h("a", { class: "plain", href: "/login" }, "Log In"), h("a", { class: "join", href: "/signup" }, "Join for Free")];

/** @type {(course: Course) => Element} */
export function picture(course) {
  const { hue } = course;
  const size = 24 + (hue % 5) * 9;
  return h("div", { class: "picture", style: `background:linear-gradient(${100 + hue}deg, hsl(${hue} 70% 36%), hsl(${(hue + 44) % 360} 74% 64%))` },
    h("svg", { viewBox: "0 0 200 110", width: "100%", height: "100%", preserveAspectRatio: "xMidYMid slice", "aria-hidden": "true" },
      h("circle", { cx: 150 - (hue % 60), cy: 40 + (hue % 30), r: size, fill: "rgba(255,255,255,.22)" }),
      h("rect", { x: 14 + (hue % 40), y: 70 - (hue % 24), width: 74, height: 60, rx: 8, fill: "rgba(0,0,0,.16)", transform: `rotate(${(hue % 40) - 20} 50 80)` }),
      h("path", { d: `M0 ${96 - (hue % 20)} Q50 ${60 + (hue % 30)} 100 86 T200 ${70 + (hue % 20)} V110 H0Z`, fill: "rgba(255,255,255,.3)" })));
}

/** @type {(course: Course, state: State, save: (slug: string) => void) => Element} */
export function card(course, state, save) {
  const saved = state.wishlist.includes(course.slug);
  return h("li", { class: "card" },
    h("a", { class: "card-link", href: `/learn/${course.slug}` },
      picture(course),
      h("div", { class: "card-body" },
        h("p", { class: "partner" }, h("span", { class: "seal", style: `background:hsl(${course.hue} 45% 40%)` }, course.partner[0]), course.partner),
        h("h3", { class: "card-title" }, course.title),
        h("p", { class: "skills" }, h("strong", {}, "Skills you'll gain: "), course.skills.join(", ")),
        h("p", { class: "facts" }, h("span", { class: "star" }, icon(STAR, 13)), h("strong", {}, course.rating), ` · ${course.reviews} reviews`),
        h("p", { class: "facts" }, `${course.level} · ${course.kind} · ${course.time}`))),
    h("button", { class: saved ? "heart heart-on" : "heart", type: "button", key: `save-${course.slug}`, "aria-pressed": String(saved), "aria-label": `Save ${course.title}`, onclick: () => save(course.slug) },
      icon("M8 14S1.5 10 1.5 5.5A3.4 3.4 0 0 1 8 4a3.4 3.4 0 0 1 6.5 1.5C14.5 10 8 14 8 14Z")));
}

/** @type {(state: State) => Element} */
export function footer(state) {
  return h("footer", { class: "footer" },
    h("div", { class: "columns" }, state.catalog.footer.map((column) =>
      h("div", {}, h("h2", { class: "footer-title" }, column.title), h("ul", { class: "bare" }, column.links.map(([label, href]) =>
        h("li", {}, h("a", { class: "footer-link", href, "data-consent": href === "/about/cookies-manage" ? "open" : null }, label))))))),
    h("p", { class: "legal" }, "© 2026 a replica. No rights in the real thing are claimed."));
}
