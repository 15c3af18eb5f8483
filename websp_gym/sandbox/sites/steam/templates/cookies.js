// @ts-check
// Cookies & Browsing: a client-side app that draws itself anew from its state on every change, and saves at once.

const { save, make, alert } = /** @type {StorePage} */ (/** @type {unknown} */ (globalThis)).steam;

const CLASS = {
  button: "_24Y_0sMrz5EywcAsFUstI1 Focusable",
  active: "_3OVHZhM_IefZqAOIsPxatj",
  header: "_3R3iiUuAhP-0M-rdtCANeY",
  buttons: "YPn6VOod44mu0w34xdzDC",
  group: "_25H3qBQ1Lfsfq8nwc3M0Fk",
  section: "_3IKt4dLdwzyZtMqAwvawdG",
  text: "GA-wFr-pPreiaNq3wRump",
  necessary: ["_24o8cEsvGK0bE4hHyUGhfh", "_3if8ZNUUN7eSTxlCJbdgav", "_9NmWi9VzZyFLjcu_GW_70"],
  field: "S-_LaQG5eEOM2HWZ-geJI qFXi6I-Cs0mJjTjqGXWZA _3XNvAmJ9bv_xuKx5YUkP-5 Panel",
  row: "H9WOq6bV_VhQ4QjJS_Bxg",
  label: "_3b0U-QDD-uhFpw6xM716fw",
  value: ["_2ZQ9wHACVFqZcufK_WRGPM", "_3N47t_-VlHS8JAEptE5rlR"],
  description: "_2OJfkxlD3X9p8Ygu1vR7Lr",
  toggle: "_24G4gV0rYtRbebXM44GkKk Focusable",
  on: "_3ld7THBuSMiFtcB_Wo165i",
  rail: "_2JtC3JSLKaOtdpAVEACsG1",
  knob: "_3__ODLQXuoDAX41pQbgHf9",
};

/**
 * @typedef {Record<string, string | boolean>} Preferences `preference_state`, and on or off by cookie.
 *
 * @typedef {object} Toggle
 * @property {string} key
 * @property {string} label
 * @property {string} text
 * @property {[owner: string, address: string]} [policy]
 *
 * @typedef {object} Group
 * @property {string} title
 * @property {string} text
 * @property {Toggle[]} toggles
 */

/** @type {Group[]} */
const GROUPS = [
  {
    title: "Valve's Content Customization Cookies",
    text: "These cookies let Valve's sites arrange what they show around what you did there before.",
    toggles: [
      { key: "recentapps", label: "recentapps", text: "Remembers which products you looked at last, so that the store can bring them up again." },
    ],
  },
  {
    title: "Valve's Analytics Cookies",
    text: "These cookies help Valve find out how its sites are used and what to improve.",
    toggles: [
      { key: "app_impressions", label: "app_impressions", text: "Notes which products were shown to you, and in which place, for later analysis." },
    ],
  },
  {
    title: "Third Party Media Sharing Cookies",
    text: "These cookies are needed where pages of Valve's sites show media that other companies host.",
    toggles: [
      { key: "youtube", label: "YouTube", text: "Set by YouTube players inside a page.", policy: ["Google", "https://policies.google.com/privacy"] },
      { key: "vimeo", label: "Vimeo", text: "Set by Vimeo players inside a page.", policy: ["Vimeo", "https://vimeo.com/privacy"] },
      { key: "sketchfab", label: "Sketchfab", text: "Set by Sketchfab viewers inside a page.", policy: ["Sketchfab", "https://sketchfab.com/privacy"] },
    ],
  },
];
const KEYS = GROUPS.flatMap((group) => group.toggles.map((toggle) => toggle.key));

/** @type {[names: string, purpose: string][]} */
const NECESSARY = [
  ["sessionid", "Ties the requests of one visit together and guards forms against forgery."],
  ["shoppingCartGID", "Remembers your shopping cart."],
  ["steamCountry", "Remembers the country the store shows prices for."],
  ["timezoneOffset", "Tells the sites your time zone, so that dates and times come out right."],
  ["birthtime, lastagecheckage", "Remembers the age you gave, so that you are not asked on every page."],
  ["steamLoginSecure, steamRememberLogin", "Keeps you signed in."],
  ["Steam_Language", "Remembers the language you chose."],
  ["cookieSettings", "Remembers what you choose on this page."],
];

const root = /** @type {HTMLElement} */ (document.getElementById("application_root"));

/** @type {Preferences} */
let state = JSON.parse(root.dataset.cookiepreferences ?? "{}");

/**
 * Shows a change at once, saves it, and takes it back when the server did not accept it.
 * @param {Preferences} change
 */
async function apply(change) {
  const before = state;
  state = { ...state, ...change };
  draw();
  if (await save("/account/ajaxsetcookiepreferences", { cookiepreferences: change })) return;
  state = before;
  draw();
  alert("Error", "Your cookie preferences could not be saved. Please try again later.");
}

/** @param {boolean} on */
function applyAll(on) {
  const wanted = on ? "accept_all" : "reject_all";
  if (state.preference_state === wanted) return;
  void apply({ ...Object.fromEntries(KEYS.map((key) => [key, on])), preference_state: wanted });
}

/**
 * @param {string} key
 * @param {boolean} on
 */
function flip(key, on) {
  // What is not one of the optional cookies leaves "all" and "none" as they are.
  void apply(KEYS.includes(key) ? { [key]: on, preference_state: "custom" } : { [key]: on });
}

/**
 * @param {string} label
 * @param {boolean} on
 * @param {boolean} active
 */
function allButton(label, on, active) {
  const button = make("div", { role: "button", tabindex: "0", class: active ? `${CLASS.button} ${CLASS.active}` : CLASS.button });
  button.append(label);
  button.addEventListener("click", () => applyAll(on));
  return button;
}

/** @param {Toggle} toggle */
function field({ key, label, text, policy }) {
  const on = state[key] === true;
  const name = make("div", { class: CLASS.label, id: `cookie_${key}` }, label);
  const knob = make(
    "div",
    { class: on ? `${CLASS.toggle} ${CLASS.on}` : CLASS.toggle, tabindex: "0", role: "switch", "aria-checked": String(on), "aria-labelledby": name.id },
    make("div", { class: CLASS.rail }),
    make("div", { class: CLASS.knob }),
  );
  knob.addEventListener("click", () => flip(key, !on));
  const description = make("div", { class: CLASS.description }, text);
  if (policy) {
    const [owner, address] = policy;
    description.append(" What happens to the data is set out in ", make("a", { href: address, target: "_blank" }, `${owner}'s Privacy Policy`), ".");
  }
  const value = make("div", { class: CLASS.value[0] }, make("div", { class: CLASS.value[1] }, knob));
  return make("div", { class: CLASS.field, style: "--indent-level:0" }, make("div", { class: CLASS.row }, name, value), description);
}

/**
 * @param {string} title
 * @param {string} text
 * @param {HTMLElement[]} fields
 */
function section(title, text, fields) {
  const parts = [make("h2", {}, title), make("p", { class: CLASS.text }, text), ...fields];
  return make("div", { class: CLASS.group }, make("div", { class: CLASS.section }, ...parts));
}

/** @param {string} title */
const header = (title) => make("div", { class: `account_header_line noicon ${CLASS.header}` }, make("div", {}, title));

/** @param {...HTMLElement} children */
const container = (...children) => make("div", { class: "account_settings_container" }, ...children);

function draw() {
  const focused = [...root.querySelectorAll("[tabindex]")].indexOf(/** @type {Element} */ (document.activeElement));
  const allOn = ["none", "accept_all"].includes(String(state.preference_state));
  const [block, title, text] = CLASS.necessary;
  const necessary = NECESSARY.map(([names, purpose]) =>
    make("div", { class: block }, make("span", { class: title }, names), make("span", { class: text }, purpose)),
  );
  const page = make(
    "div",
    {},
    header("Optional Cookies"),
    container(
      make("div", { class: CLASS.buttons }, allButton("Reject All", false, state.preference_state === "reject_all"), allButton("Accept All", true, allOn)),
      ...GROUPS.map((group) => section(group.title, group.text, group.toggles.map(field))),
    ),
    header("Technically Necessary Cookies"),
    container(
      make("p", { class: CLASS.text }, "Valve's sites do not work without these cookies, so they are always set."),
      make("div", { class: CLASS.group }, ...necessary),
    ),
    header("Marketing Measurement"),
    container(
      section("Link tracking", "Links from advertisements and newsletters can carry marks that say which campaign brought you here.", [
        field({ key: "utm_enabled", label: "UTM measurement", text: "Lets developers count, without your name, visits that come from their campaigns." }),
      ]),
    ),
  );
  root.replaceChildren(make("div", {}, page));
  // Drawing anew took the focus away from whoever uses the keyboard.
  if (focused >= 0) /** @type {HTMLElement} */ (root.querySelectorAll("[tabindex]")[focused]).focus();
}

draw();

export {};
