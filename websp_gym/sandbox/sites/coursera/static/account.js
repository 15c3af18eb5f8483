// @ts-check
/* What those see who are signed in: the account's menu, its settings, and the chat that floats over them. */
import { freshId, h } from "./dom.js";
import { icon } from "./parts.js";

/** @typedef {import("./app.js").State} State */
/** @typedef {import("./app.js").Update} Update */
/** @typedef {import("./app.js").Send} Send */
/** @typedef {import("./app.js").Value} Value */

const MENU = [["Profile", "/user"], ["My Purchases", "/my-purchases"], ["Settings", "/account-settings"], ["Updates", "/updates"], ["Accomplishments", "/accomplishments"], ["Help Center", "/about/contact"]];
/** The tabs of the settings, each with the shape of its icon. */
const TABS = [["Account", "M8 2a3 3 0 1 1 0 6 3 3 0 0 1 0-6ZM2 14a6 6 0 0 1 12 0"], ["Communication Preferences", "M2 4h12v9H2Zm0 0 6 5 6-5"], ["Notes & Highlights", "M3 2h10v12H3Zm3 4h4M6 9h4"], ["Calendar Sync", "M2 4h12v10H2Zm0 3h12M5 2v3m6-3v3"]];
const MAIL = [
  ["weekly", "Weekly personalized course recommendations", "A letter a week with courses and programs that fit what you have looked at."],
  ["announcements", "Announcements and updates from courses I'm taking", "News from teachers, and deadlines that come near."],
  ["marketing", "Marketing messages from Coursera about new content and offers", "New courses, sales and events."],
  ["research", "Coursera research", "Questions about how you learn, and how we could do better."],
  ["partner_research", "Partner research", "Studies of the universities and companies whose courses you take."],
];

/** The end of the header. @type {(state: State, update: Update) => Element[]} */
export function accountHeader(state, update) {
  const id = freshId();
  const name = state.account?.name ?? "";
  return [
    h("a", { class: "plain", href: "/my-learning" }, "My Learning"), h("a", { class: "plain", href: "/browse" }, "Degrees"),
    h("a", { class: "bell", href: "/updates", "aria-label": "Notifications" }, icon("M4 11V7a4 4 0 0 1 8 0v4l1 1H3ZM7 14h2", 20)),
    h("div", { class: "profile" },
      h("button", { class: "avatar", type: "button", key: "profile", "aria-haspopup": "menu", "aria-expanded": String(state.profile), "aria-controls": id, "aria-label": `Profile menu of ${name}`, onclick: () => update({ profile: !state.profile }) }, name[0]),
      state.profile ? h("div", { class: "menu", id, role: "menu", "aria-label": "Profile" },
        MENU.map(([label, href]) => h("a", { class: "menu-item", role: "menuitem", href }, label)),
        h("form", { method: "post", action: "/logout" }, h("button", { class: "menu-item", role: "menuitem" }, "Log Out"))) : null),
  ];
}

/** @type {(state: State, update: Update, send: Send) => Element[]} */
export function settings(state, update, send) {
  const open = [accountTab, mailTab, notesTab, calendarTab][state.tab];
  return [
    h("section", { class: "settings" },
      h("div", { class: "side", role: "menu", "aria-label": "Settings" }, TABS.map(([label, shape], index) => {
        const show = () => update({ tab: index, said: "" });
        return h("a", { class: index === state.tab ? "side-item side-on" : "side-item", role: "menuitem", key: label, tabindex: 0, "aria-posinset": index + 1, "aria-setsize": TABS.length, "aria-current": index === state.tab ? "page" : null, onclick: show, onkeydown: (event) => { if (event instanceof KeyboardEvent && event.key === "Enter") show(); } }, icon(shape, 20), label);
      })),
      h("article", {}, h("h1", { class: "title" }, TABS[state.tab][0]), open(state, update, send))),
    chat(state, update),
    state.asking ? h("div", { class: "veil" }, h("div", { class: "dialog", role: "dialog", "aria-modal": "true", "aria-label": "Delete your account?" },
      h("h2", { class: "part-title" }, "Delete your account?"), h("p", {}, "Your courses, grades and certificates will be gone. This cannot be undone."),
      h("form", { class: "dialog-row", method: "post", action: "/account-settings/delete" }, h("button", { class: "secondary", type: "button", onclick: () => update({ asking: false }) }, "Cancel"), h("button", { class: "secondary danger" }, "Delete forever")))) : h("span", { hidden: true }),
  ];
}

/** @type {(title: string, ...content: (Element | string | null)[]) => Element} */
const part = (title, ...content) => h("section", { class: "part" }, h("h2", { class: "part-title" }, title), content);
/** What was said about one part of the page. @type {(state: State, about: string, text: string) => Element | null} */
const said = (state, about, text) => (state.said === about ? h("p", {}, h("span", { class: "said", role: "status" }, text)) : null);

/** @type {(state: State, name: string, label: string, note: string, update: Update) => Element} */
function box(state, name, label, note, update) {
  const id = freshId();
  const key = `mail.${name}`;
  return h("label", { class: "box" },
    h("input", { class: "box-input", id: `${id}-base`, type: "checkbox", key, "aria-labelledby": `${id}-base-label-text`, checked: Boolean(state.draft[key]), onchange: () => update({ draft: { ...state.draft, [key]: !state.draft[key] }, said: "" }) }),
    h("span", {}, h("span", { id: `${id}-base-label-text` }, label), note ? h("span", { class: "box-note" }, note) : null));
}

/** @type {(state: State, update: Update, send: Send) => Element[]} */
function mailTab(state, update, send) {
  const names = ["opt_out", ...MAIL.map(([name]) => name)];
  const save = () => send("/api/emailPreferences", Object.fromEntries(names.map((name) => [name, state.draft[`mail.${name}`]])), { said: "mail" });
  return [
    part("Email notifications", h("p", {}, "Say which kinds of mail you would like to get from us, and which not."), box(state, "opt_out", "Opt-out of all Coursera emails (Optional)", "", update)),
    part("Communication from Coursera", h("fieldset", { style: "border:0;padding:0;margin:0 0 16px" }, MAIL.map(([name, label, note]) => box(state, name, label, note, update))),
      h("button", { class: "secondary", type: "button", key: "save-mail", onclick: save }, "Save"), said(state, "mail", "Your preferences have been saved.")),
  ];
}

/** @type {(state: State, update: Update, send: Send) => Element[]} */
function accountTab(state, update, send) {
  /** @type {(name: string) => (event: Event) => void} */
  const keep = (name) => (event) => { state.draft[`profile.${name}`] = /** @type {HTMLInputElement} */ (event.target).value; };
  /** @type {(id: string, label: string, ...field: Element[]) => Element} */
  const labelled = (id, label, ...field) => h("div", {}, h("label", { class: "label", for: id }, label), field);
  /** @type {(id: string, name: string, label: string, choices: Record<string, string>) => Element} */
  const list = (id, name, label, choices) => labelled(id, label, h("select", { id, class: "field", onchange: keep(name) }, Object.entries(choices).map(([word, text]) => h("option", { value: word, selected: state.draft[`profile.${name}`] === word }, text))));
  /** @type {(id: string, name: string, label: string) => Element} */
  const text = (id, name, label) => labelled(id, label, h("input", { id, class: "field", type: "text", value: String(state.draft[`profile.${name}`]), oninput: keep(name) }));
  const profile = () => Object.fromEntries(["full_name", "email", "timezone", "language"].map((name) => [name, state.draft[`profile.${name}`]]));
  const [factor, google] = [state.settings["security.two_factor"], state.settings["linked.google"]];
  return [
    part("Basic Information", text("settings-basic-full-name", "full_name", "Full name"), text("settings-basic-email", "email", "Email address"), list("settings-basic-timezone", "timezone", "Timezone", state.zones), list("settings-basic-language", "language", "Language", state.languages),
      h("button", { class: "secondary", type: "button", key: "save-basic", onclick: () => send("/api/userBasicProfile", profile(), { said: "basic" }) }, "Save"), said(state, "basic", "Your changes have been saved.")),
    part("Change password", h("form", { onsubmit: (event) => { event.preventDefault(); update({ said: "password" }); } }, [["current", "Current password"], ["new", "New password"], ["new-confirm", "Retype password"]].map(([name, label]) => labelled(`settings-password-${name}`, label, h("input", { id: `settings-password-${name}`, class: "field", type: "password", autocomplete: "off" }))), h("button", { class: "secondary" }, "Change password")), said(state, "password", "You sign in with Google; this account has no password of its own.")),
    part("Two-factor authentication", h("p", {}, factor ? "On: each sign-in asks for a code." : "Off."), h("button", { class: "secondary", type: "button", key: "factor", onclick: () => send("/api/accountOptions", { two_factor: !factor }, { settings: { ...state.settings, "security.two_factor": !factor } }) }, factor ? "Turn off" : "Turn on")),
    part("Linked accounts", h("p", {}, google ? "Google is linked." : "No account is linked."), h("button", { class: "secondary", type: "button", key: "google", onclick: () => send("/api/accountOptions", { google: !google }, { settings: { ...state.settings, "linked.google": !google } }) }, google ? "Unlink Google" : "Link Google")),
    part("Learner data report", h("p", {}, "All that is stored about you as a learner, in one file. It is sent to ", h("strong", {}, String(state.settings["profile.email"])), "."), h("button", { class: "secondary", type: "button", key: "report", onclick: () => send("/api/learnerDataReport", {}, { reported: true }) }, "Send report"), state.reported ? h("p", {}, h("span", { class: "said", role: "status" }, "The report is on its way. It can take some days.")) : null),
    part("Delete account", h("p", {}, "Deletes your account and all that belongs to it."), h("button", { class: "secondary danger", type: "button", key: "delete", onclick: () => update({ asking: true }) }, "Delete account")),
  ];
}

/** @type {() => Element[]} */
const notesTab = () => [h("p", {}, "What you mark and note while you watch a lecture is collected here. There is nothing yet.")];

/** @type {(state: State, update: Update, send: Send) => Element[]} */
function calendarTab(state, update, send) {
  const on = state.settings["calendar.sync"];
  return [part("Your calendar", h("p", {}, on ? "Deadlines of your courses are written to your calendar." : "Have the deadlines of your courses written to your calendar."), h("button", { class: "secondary", type: "button", key: "calendar", onclick: () => send("/api/accountOptions", { calendar: !on }, { settings: { ...state.settings, "calendar.sync": !on } }) }, on ? "Stop syncing" : "Start syncing"))];
}

/** @type {(state: State, update: Update) => Element} */
function chat(state, update) {
  if (!state.chat) return h("button", { class: "chat-open", type: "button", key: "chat", onclick: () => update({ chat: true }) }, "Chat with us");
  const count = h("span", { class: "box-note" }, "0 out of 110 characters used");
  const field = h("textarea", { id: "boostai-chat-panel-composer", class: "chat-text", rows: 2, maxlength: 110, "aria-label": "Ask your question here", placeholder: "Ask your question here", oninput: () => { count.textContent = `${/** @type {HTMLTextAreaElement} */ (field).value.length} out of 110 characters used`; } });
  const ask = () => { const words = /** @type {HTMLTextAreaElement} */ (field).value.trim(); if (words) update({ asked: [...state.asked, words] }); };
  return h("aside", { class: "chat", "aria-label": "Chat" },
    h("div", { class: "chat-head" }, "Chat with us", h("button", { class: "chat-close", type: "button", "aria-label": "Close the chat", onclick: () => update({ chat: false }) }, "×")),
    h("div", { class: "chat-body" }, h("p", { class: "chat-line" }, "Hi! What can we help you with?"), state.asked.flatMap((words) => [h("p", { class: "chat-line" }, h("strong", {}, words)), h("p", { class: "chat-line" }, "I am a machine and know little. The help articles may know more.")]), field, count, h("p", { class: "chat-line" }, h("button", { class: "secondary", type: "button", onclick: ask }, "Send message"))));
}

/** @type {(state: State, list: (slugs: string[]) => Element) => Element[]} */
export const learning = (state, list) => [h("section", {}, h("h1", { class: "title" }, "My Learning"), state.enrolled.length ? list(state.enrolled) : h("p", {}, "You are not enrolled in a course. ", h("a", { href: "/browse" }, "Find one"), "."))];

/** @type {(state: State) => Element[]} */
export const plus = (state) => [h("section", { class: "band" }, h("h1", { class: "band-title" }, "Coursera Plus"), h("p", {}, state.plus ? "You are subscribed." : "All courses and certificates for $59 a month."), state.plus ? null : h("form", { method: "post", action: "/courseraplus" }, h("button", { class: "join light" }, "Subscribe")))];
