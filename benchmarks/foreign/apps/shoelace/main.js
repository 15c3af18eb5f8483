/* The settings pages with the web components of Shoelace, as its documentation uses them. */
import '@shoelace-style/shoelace/dist/themes/light.css';
import '@shoelace-style/shoelace/dist/themes/dark.css';
import '@shoelace-style/shoelace';
import { registerIconLibrary } from '@shoelace-style/shoelace/dist/utilities/icon-library.js';

const { page, place, tell } = globalThis.__foreign;
const other = page.theme === 'other';

// Four of the icons of Bootstrap, which Shoelace would fetch one by one.
const PATHS = {
  pencil: 'M12.1.1 15.9 3.9 5 14.8 0 16l1.2-5z',
  trash: 'M6 1h4l1 1h4v2H1V2h4zM2 5h12l-1 11H3z',
  'three-dots-vertical': 'M8 1.5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3m0 5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3m0 5a1.5 1.5 0 1 1 0 3 1.5 1.5 0 0 1 0-3',
};
registerIconLibrary('default', {
  resolver: (name) => `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="currentColor"><path d="${PATHS[name]}"/></svg>`)}`,
});
const ICONS = { edit: 'pencil', delete: 'trash', more: 'three-dots-vertical' };

// A theme of another team: dark, small, filled pills.
document.documentElement.classList.add(other ? 'sl-theme-dark' : 'sl-theme-light');
const size = other ? { size: 'small' } : {};
const button = other ? { size: 'small', pill: true, outline: true, variant: 'primary' } : {};
const field = other ? { size: 'small', filled: true, pill: true } : {};

/** A new element; attributes that are undefined or false are left out. */
function make(tag, attrs = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attrs)) {
    if (value !== undefined && value !== false) el.setAttribute(name, value === true ? '' : value);
  }
  el.append(...children.filter(Boolean));
  return el;
}

/** A button; with an icon alone if the control has one. */
function pressable(control, more = {}) {
  const test = { 'data-testid': control.attrs['data-testid'] };
  return control.icon
    ? make('sl-icon-button', { name: ICONS[control.icon], label: control.label, ...test, ...more })
    : make('sl-button', { ...button, ...test, ...more }, control.label);
}

const KINDS = {
  checkbox: tick, switch: tick,
  radio(control) {
    const group = make('sl-radio-group', { label: control.label, ...control.attrs, value: control.value, ...size });
    group.append(...control.options.map((option) => make('sl-radio', { value: option.key, ...size }, option.label)));
    group.addEventListener('sl-change', () => tell(control.key, group.value));
    return [group];
  },
  select(control) {
    const select = make('sl-select', { label: control.label, ...control.attrs, value: control.value, ...field });
    select.append(...control.options.map((option) => make('sl-option', { value: option.key }, option.label)));
    select.addEventListener('sl-change', () => tell(control.key, select.value));
    return [select];
  },
  text(control) {
    return [make('sl-input', { label: control.label, ...control.attrs, value: control.value, ...field })];
  },
  menu(control) {
    const trigger = pressable(control, control.icon ? { slot: 'trigger' } : { slot: 'trigger', caret: true });
    const menu = make('sl-menu', {}, ...control.options.map((option) => make('sl-menu-item', { value: option.key }, option.label)));
    menu.addEventListener('sl-select', (event) => tell(control.key, event.detail.item.value));
    return [make('sl-dropdown', {}, trigger, menu)];
  },
  dialog(control) {
    const [title, text, yes, no] = control.ask;
    const opener = pressable(control);
    const dialog = make('sl-dialog', { label: title }, text);
    const answer = (name, label, variant) => {
      const end = make('sl-button', { slot: 'footer', variant, ...size }, label);
      end.addEventListener('click', () => { dialog.hide(); tell(control.key, name); });
      return end;
    };
    dialog.append(answer('no', no, 'default'), answer('yes', yes, 'danger'));
    opener.addEventListener('click', () => dialog.show());
    return [opener, dialog];
  },
  button: press, icon: press,
};

function tick(control) {
  const box = make(`sl-${control.kind}`, { ...control.attrs, checked: control.on, ...size }, control.label);
  box.addEventListener('sl-change', () => tell(control.key, box.checked));
  return [box];
}

function press(control, done) {
  const own = pressable(control);
  own.addEventListener('click', () => { tell(control.key, 'pressed'); if (control.removes) done(); });
  return [own];
}

function spot(key, ...children) {
  const div = make('div', {}, ...children);
  place(key, div);
  return div;
}

const control = (data, done) => spot(data.key, ...KINDS[data.kind](data, done));

function rows({ looks, head, rows: all }) {
  const cell = (...children) => make('td', {}, ...children);
  const one = (row) => {
    const controls = (place_) => row.controls.map((each) => control(each, () => place_().remove()));
    if (looks === 'table') {
      const line = make('tr', {}, cell(row.title), cell(row.note), cell(make('div', { class: 'actions' }, ...controls(() => line))));
      return line;
    }
    if (looks === 'cards') {
      const card = make('sl-card', {}, make('strong', { slot: 'header' }, row.title), row.note);
      card.append(make('div', { slot: 'footer', class: 'actions' }, ...controls(() => card)));
      return card;
    }
    const own = row.controls.length === 1 && row.controls[0].label === row.title;
    const item = make('li', {}, own ? '' : make('div', { class: 'about' }, make('strong', {}, row.title), make('small', {}, row.note)));
    item.append(...controls(() => item));
    return item;
  };
  if (looks === 'table') {
    const titles = make('tr', {}, ...head.map((text) => make('th', {}, text)));
    return make('table', {}, make('thead', {}, titles), make('tbody', {}, ...all.map(one)));
  }
  return make(looks === 'cards' ? 'div' : 'ul', { class: looks }, ...all.map(one));
}

function body(section) {
  const controls = new Map();
  const parts = section.note ? [make('p', {}, section.note)] : [];
  for (const group of section.groups) {
    const box = make('div', { class: 'group' }, group.title && make('h3', {}, group.title));
    for (const each of group.controls) {
      const place_ = control(each);
      if (each.kind === 'text') controls.set(each.key, { input: place_.firstElementChild, saved: each.value });
      box.append(place_);
    }
    parts.push(box);
  }
  if (section.rows) parts.push(rows(section.rows));
  if (section.save) {
    const save = make('sl-button', { variant: 'primary', ...size, pill: other }, section.save);
    save.addEventListener('click', () => {
      for (const [key, kept] of controls) {
        if (kept.input.value !== kept.saved) tell(key, kept.input.value);
        kept.saved = kept.input.value;
      }
    });
    parts.push(spot(`${section.key}/save`, save));
  }
  return parts;
}

function tabbed(sections) {
  const group = make('sl-tab-group', other ? { placement: 'start' } : {});
  for (const section of sections) {
    group.append(
      make('sl-tab', { slot: 'nav', panel: section.key }, section.title),
      make('sl-tab-panel', { name: section.key }, ...body(section)),
    );
  }
  // The first tab is shown when the group comes, by nobody.
  let shown = sections[0].key;
  group.addEventListener('sl-tab-show', ({ detail }) => {
    if (detail.name !== shown) tell(`view:${detail.name}`, true);
    shown = detail.name;
  });
  return group;
}

function unfolding(section) {
  const details = make('sl-details', { summary: section.title }, ...body(section));
  const says = (event, open) => details.addEventListener(event, ({ target }) => { if (target === details) tell(`view:${section.key}`, open); });
  says('sl-show', true);
  says('sl-hide', false);
  return spot(`view:${section.key}`, details);
}

const style = make('style', {}, `
  body { margin: 0; font-family: var(--sl-font-sans); background: var(--sl-color-neutral-0); color: var(--sl-color-neutral-900); }
  nav { display: flex; gap: 2rem; padding: 1rem; background: var(--sl-color-neutral-100); } nav a { color: inherit; }
  main { max-width: 54rem; margin: auto; padding: ${other ? '.5rem' : '1.5rem'}; }
  .group > * { margin: ${other ? '.25rem' : '.75rem'} 0; } .actions { display: flex; gap: .5rem; }
  ul { list-style: none; padding: 0; } li { display: flex; gap: 1rem; align-items: center; padding: .3rem 0; }
  .about { flex: 1; display: grid; } .cards { display: flex; gap: 1rem; } table { width: 100%; text-align: left; }
`);
document.head.append(style);

const sections = (looks) => page.sections.filter((section) => section.looks === looks);
const tabs = sections('tab');
document.getElementById('root').append(
  make('nav', {}, make('strong', {}, page.site), ...page.nav.map((link) => make('a', { href: link.href, 'aria-current': link.current ? 'page' : undefined }, link.title))),
  make(
    'main', {}, make('h1', {}, page.title), tabs.length > 0 && tabbed(tabs),
    ...sections('plain').map((section) => make('section', {}, make('h2', {}, section.title), ...body(section))),
    ...sections('accordion').map(unfolding),
  ),
);
