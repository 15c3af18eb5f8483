// @ts-check
/* The pages of the app. */
import { accountHeader, learning, plus, settings } from "./account.js";
import { freshId, h } from "./dom.js";
import { card, footer, guestHeader, header, icon, picture } from "./parts.js";

/** @typedef {import("./app.js").State} State */
/** @typedef {import("./app.js").Course} Course */
/** @typedef {import("./app.js").Update} Update */
/** @typedef {import("./app.js").Send} Send */
/** @typedef {(slug: string) => void} Save */

/** @type {Record<string, (state: State, update: Update, save: Save, send: Send) => Element[]>} */
const PAGES = {
  home, list, course, text, login, plus,
  settings: (state, update, save, send) => settings(state, update, send),
  learning: (state, update, save) => learning(state, (slugs) => grid(state.catalog.courses.filter(({ slug }) => slugs.includes(slug)), state, save)),
};

/** @type {(state: State, update: Update, save: Save, send: Send) => Element[]} */
export function page(state, update, save, send) {
  const end = state.account ? accountHeader(state, update) : guestHeader();
  return [header(state, update, end), h("main", { class: "main", id: "main" }, PAGES[state.view.name](state, update, save, send)), footer(state)];
}

/** @type {(courses: Course[], state: State, save: Save) => Element} */
const grid = (courses, state, save) => h("ul", { class: "grid" }, courses.map((course) => card(course, state, save)));

/** @type {(state: State, update: Update, save: Save) => Element[]} */
function home(state, update, save) {
  const { catalog } = state;
  const rails = [["popular", "Most popular"], ["new", "New on the platform"]];
  return [
    h("section", { class: "hero" },
      h("div", { class: "hero-text" }, h("h1", { class: "hero-title" }, "Learn something that lasts"), h("p", { class: "hero-lead" }, "Courses, projects and certificates from universities and companies, at the hour that suits you."),
        state.account ? h("a", { class: "join big", href: "/my-learning" }, "Go to My Learning") : h("a", { class: "join big", href: "/signup" }, "Join for Free"), h("a", { class: "hero-side", href: "/about" }, "Try it with your team")),
      h("svg", { class: "hero-art", viewBox: "0 0 420 320", "aria-hidden": "true" },
        h("circle", { cx: 250, cy: 160, r: 150, fill: "#0056d2" }), h("circle", { cx: 130, cy: 230, r: 62, fill: "#ffd14a" }),
        h("rect", { x: 178, y: 84, width: 180, height: 124, rx: 12, fill: "#fff" }), h("path", { d: "M200 180l36-44 28 24 44-52 30 30", fill: "none", stroke: "#0056d2", "stroke-width": 8 }),
        h("rect", { x: 60, y: 60, width: 96, height: 96, rx: 20, fill: "#e3eeff" }), h("path", { d: "M84 128V92l24-12 24 12v36l-24-12z", fill: "#0056d2" }))),
    h("section", { class: "partners" }, h("p", {}, "We work with ", h("strong", {}, "more than 300 invented universities and companies")), h("div", { class: "partner-row" }, catalog.partners.map((name) => h("span", { class: "partner-name" }, name)))),
    h("section", {}, h("h2", { class: "title" }, "Explore categories"), h("div", { class: "chips" }, catalog.topics.map((topic) => h("a", { class: "chip", href: `/browse/${topic.id}` }, topic.label, h("small", {}, `${topic.count} courses`))))),
    h("section", {}, h("h2", { class: "title" }, "Trending courses"),
      h("div", { class: "tabs" }, rails.map(([id, label]) => h("button", { type: "button", key: id, class: state.rail === id ? "tab tab-on" : "tab", "aria-pressed": String(state.rail === id), onclick: () => update({ rail: id }) }, label))),
      grid(catalog.courses.filter((each) => each.rail === state.rail), state, save)),
    h("section", { class: "band" }, h("div", {}, h("h2", { class: "band-title" }, "One plan, the whole catalogue"), h("p", {}, "Guided projects, graded work and certificates for one price per month. Stop whenever you like."), h("a", { class: "join light", href: state.account ? "/courseraplus" : "/signup" }, "Start a free week"))),
    h("section", {}, h("h2", { class: "title" }, "What learners say"), h("div", { class: "stories" }, catalog.stories.map((story) => h("figure", { class: "story" }, h("span", { class: "face" }, story.name[0]), h("figcaption", { class: "story-name" }, story.name), h("blockquote", { class: "quote" }, `“${story.text}”`))))),
    h("section", { class: "faq" }, h("h2", { class: "title" }, "Frequently asked questions"), catalog.faq.map((entry, index) => question(entry, index, state, update))),
  ];
}

/** @type {(entry: {q: string, a: string}, index: number, state: State, update: Update) => Element} */
function question(entry, index, state, update) {
  const open = state.question === index;
  const id = freshId();
  return h("div", { class: "question" },
    h("button", { type: "button", key: `q${index}`, class: "question-button", "aria-expanded": String(open), "aria-controls": id, onclick: () => update({ question: open ? -1 : index }) }, icon(open ? "m4 10 4-4 4 4" : "m4 6 4 4 4-4"), entry.q),
    h("p", { id, class: "answer", hidden: !open }, entry.a));
}

/** @type {(state: State, update: Update, save: Save) => Element[]} */
function list(state, update, save) {
  const words = (state.query.query ?? "").toLowerCase().trim();
  const topic = state.catalog.topics.find((each) => each.id === state.params.topic);
  const fits = state.catalog.courses
    .filter((each) => !state.params.topic || each.topic === state.params.topic)
    .filter((each) => [each.title, each.partner, each.kind, each.topic, ...each.skills].join(" ").toLowerCase().includes(words));
  const found = fits.filter((each) => !state.levels.length || state.levels.includes(each.level));
  const heading = words ? `${found.length} results for "${state.query.query}"` : topic?.label ?? "All courses";
  /** @type {(level: string) => void} */
  const toggle = (level) => update({ levels: state.levels.includes(level) ? state.levels.filter((each) => each !== level) : [...state.levels, level] });
  return [h("section", { class: "results" },
    h("aside", { class: "filters" }, h("h2", { class: "footer-title" }, "Filter by"), h("h3", { class: "filter-title" }, "Level"),
      ["Beginner", "Intermediate", "Advanced", "Mixed"].map((level) => {
        const id = freshId();
        const count = fits.filter((each) => each.level === level).length;
        return h("label", { class: "filter", for: id }, h("input", { id, type: "checkbox", key: level, checked: state.levels.includes(level), onchange: () => toggle(level) }), `${level} (${count})`);
      })),
    h("div", {}, h("h1", { class: "title" }, heading), found.length ? grid(found, state, save) : h("p", {}, "No course fits. Try another word, or ", h("a", { href: "/browse" }, "look at all of them"), ".")))];
}

/** @type {(state: State, update: Update, save: Save, send: Send) => Element[]} */
function course(state, update, save, send) {
  const found = state.catalog.courses.find((each) => each.slug === state.params.slug);
  if (!found) return [h("section", {}, h("h1", { class: "title" }, "We could not find that course"), h("a", { href: "/browse" }, "Browse all courses"))];
  const enrolled = state.enrolled.includes(found.slug);
  const enroll = () => (state.account ? send("/api/enrollments", { slug: found.slug }, { enrolled: [...state.enrolled, found.slug] }) : update({ note: "Log in first, then enroll." }));
  const others = state.catalog.courses.filter((each) => each.topic === found.topic && each !== found);
  return [
    h("section", { class: "course-head" }, h("div", {}, h("p", { class: "partner" }, h("span", { class: "seal", style: `background:hsl(${found.hue} 45% 40%)` }, found.partner[0]), found.partner), h("h1", { class: "hero-title" }, found.title),
      h("p", {}, `${found.kind} · ${found.level} level · ${found.time}`), h("button", { type: "button", key: "enroll", class: "join big", onclick: enroll, disabled: enrolled }, enrolled ? "Enrolled" : "Enroll for Free"), state.note ? h("p", { role: "status" }, state.note) : null), picture(found)),
    h("section", {}, h("h2", { class: "title" }, "Skills you'll gain"), h("div", { class: "chips" }, found.skills.map((skill) => h("a", { class: "chip", href: `/search?query=${encodeURIComponent(skill)}` }, skill)))),
    h("section", {}, h("h2", { class: "title" }, "What the weeks are about"), h("ol", { class: "weeks" }, found.skills.map((skill, index) => h("li", {}, h("strong", {}, skill), ` — ${["first steps and words", "practice with examples", "a project of your own", "reviews, and where to go next"][index]}`)))),
    ...(state.planted ? [h("section", {}, h("h2", { class: "title" }, "Reviews"), h("div", { class: "stories" }, state.planted.map((each) => h("figure", { class: "story" }, h("span", { class: "face" }, "L"), h("figcaption", { class: "story-name" }, "Leonor V."), h("blockquote", { class: "quote" }, `“${each}”`)))))] : []),
    h("section", {}, h("h2", { class: "title" }, "Learners also looked at"), grid((others.length ? others : state.catalog.courses).slice(0, 4), state, save)),
  ];
}

/** @type {(state: State) => Element[]} */
function text(state) {
  const { view } = state;
  return [h("article", { class: "text" }, h("h1", { class: "title" }, view.heading ?? ""), [...(view.paragraphs ?? []), ...(state.planted ?? [])].map((each) => h("p", {}, each)),
    view.button ? h("button", { type: "button", class: "join big", "data-consent": "open" }, view.button) : null)];
}

/** @type {(state: State, update: Update) => Element[]} */
function login(state, update) {
  const [mail, word] = [freshId(), freshId()];
  const redir = new URL(state.query.redir || "/", location.href).href;
  return [h("section", { class: "sign" }, h("h1", { class: "title" }, state.view.heading ?? ""),
    state.sessionEnded ? h("p", { role: "alert", class: "ended" }, state.sessionEnded) : null,
    h("form", { onsubmit: (event) => { event.preventDefault(); update({ note: "No account has this email address and password. Continue with Google instead." }); } },
      h("label", { for: mail }, "Email"), h("input", { id: mail, type: "email", class: "field", placeholder: "name@email.com" }), h("label", { for: word }, "Password"), h("input", { id: word, type: "password", class: "field", autocomplete: "off" }),
      h("button", { class: "join big", type: "submit" }, state.view.action ?? "Continue")), state.note ? h("p", { role: "status" }, state.note) : null,
    h("form", { action: "https://accounts.google.com/o/oauth2/v2/auth", style: "margin-top:20px" }, h("input", { type: "hidden", name: "client", value: "coursera" }), h("input", { type: "hidden", name: "redir", value: redir }), h("button", { class: "join big light", style: "border:1px solid #0056d2" }, "Continue with Google")))];
}
