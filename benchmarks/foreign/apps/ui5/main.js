/* The settings pages with UI5 Web Components, as their documentation uses them: everything lies in shadow roots. */
import { setTheme } from '@ui5/webcomponents-base/dist/config/Theme.js';
import { registerThemePropertiesLoader } from '@ui5/webcomponents-base/dist/asset-registries/Themes.js';
import dark from '@ui5/webcomponents/dist/generated/assets/themes/sap_horizon_dark/parameters-bundle.css.json';
import colors from '@ui5/webcomponents-theming/dist/generated/assets/themes/sap_horizon_dark/parameters-bundle.css.json';
import '@ui5/webcomponents/dist/Bar.js';
import '@ui5/webcomponents/dist/Button.js';
import '@ui5/webcomponents/dist/Card.js';
import '@ui5/webcomponents/dist/CardHeader.js';
import '@ui5/webcomponents/dist/CheckBox.js';
import '@ui5/webcomponents/dist/Dialog.js';
import '@ui5/webcomponents/dist/Input.js';
import '@ui5/webcomponents/dist/Label.js';
import '@ui5/webcomponents/dist/Link.js';
import '@ui5/webcomponents/dist/List.js';
import '@ui5/webcomponents/dist/ListItemCustom.js';
import '@ui5/webcomponents/dist/Menu.js';
import '@ui5/webcomponents/dist/MenuItem.js';
import '@ui5/webcomponents/dist/Option.js';
import '@ui5/webcomponents/dist/Panel.js';
import '@ui5/webcomponents/dist/RadioButton.js';
import '@ui5/webcomponents/dist/Select.js';
import '@ui5/webcomponents/dist/Switch.js';
import '@ui5/webcomponents/dist/Tab.js';
import '@ui5/webcomponents/dist/TabContainer.js';
import '@ui5/webcomponents/dist/Table.js';
import '@ui5/webcomponents/dist/TableCell.js';
import '@ui5/webcomponents/dist/TableHeaderCell.js';
import '@ui5/webcomponents/dist/TableHeaderRow.js';
import '@ui5/webcomponents/dist/TableRow.js';
import '@ui5/webcomponents/dist/Text.js';
import '@ui5/webcomponents/dist/Title.js';
import '@ui5/webcomponents-icons/dist/bell.js';
import '@ui5/webcomponents-icons/dist/delete.js';
import '@ui5/webcomponents-icons/dist/edit.js';
import '@ui5/webcomponents-icons/dist/overflow.js';

const { page, place, tell } = globalThis.__foreign;
const ICONS = { edit: 'edit', delete: 'delete', more: 'overflow', bell: 'bell' };
const other = page.theme === 'other';

/** Makes an element; values that are undefined leave their attribute out. */
const h = (tag, attributes, ...children) => {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes ?? {})) {
    if (name.startsWith('on-')) el.addEventListener(name.slice(3), value);
    else if (value === true) el.setAttribute(name, '');
    else if (value !== undefined && value !== false) el.setAttribute(name, value);
  }
  el.append(...children.flat());
  return el;
};

let made = 0;
/** Gives a label to a field as the documentation does, by an id that is counted where the author gave none. */
const labelled = (control, make) => {
  const id = control.attrs.id ?? `field-${++made}`;
  return [h('ui5-label', { for: id, 'show-colon': !other }, control.label), make(id)];
};

const KINDS = {
  checkbox: ({ key, label, on, attrs }) =>
    h('ui5-checkbox', { ...attrs, text: label, checked: on, 'on-change': (event) => tell(key, event.target.checked) }),
  switch: (control) => labelled(control, (id) =>
    h('ui5-switch', { ...control.attrs, id, checked: control.on, 'on-change': (event) => tell(control.key, event.target.checked) })),
  radio: ({ key, label, value, options, attrs }) => {
    const name = attrs.name ?? `group-${++made}`;
    return h('div', { role: 'radiogroup', 'aria-label': label }, h('ui5-label', {}, label), options.map((option) =>
      h('ui5-radio-button', { name, value: option.key, text: option.label, checked: option.key === value, 'on-change': () => tell(key, option.key) })));
  },
  select: (control) => labelled(control, (id) =>
    h('ui5-select', { ...control.attrs, id, 'on-change': (event) => tell(control.key, event.detail.selectedOption.value) },
      control.options.map((option) => h('ui5-option', { value: option.key, selected: option.key === control.value }, option.label)))),
  button: (control, done) => button(control, () => press(control, done)),
  icon: (control, done) => button(control, () => press(control, done)),
  menu: (control) => {
    const menu = h('ui5-menu', { 'header-text': control.label, 'on-item-click': ({ detail }) => tell(control.key, detail.item.dataset.value) },
      control.options.map((option) => h('ui5-menu-item', { text: option.label, 'data-value': option.key })));
    const opener = button(control, () => { menu.opener = opener; menu.open = !menu.open; });
    return [opener, menu];
  },
  dialog: (control) => {
    const [title, text, yes, no] = control.ask;
    const answer = (told) => () => { dialog.open = false; tell(control.key, told); };
    const dialog = h('ui5-dialog', { 'header-text': title }, h('ui5-text', {}, text),
      h('ui5-bar', { slot: 'footer', design: 'Footer' },
        h('ui5-button', { slot: 'endContent', design: 'Negative', 'on-click': answer('yes') }, yes),
        h('ui5-button', { slot: 'endContent', design: 'Transparent', 'on-click': answer('no') }, no)));
    return [button(control, () => { dialog.open = true; }, 'Negative'), dialog];
  },
};

const button = ({ label, icon, attrs }, click, design = 'Default') =>
  h('ui5-button', { ...attrs, design, icon: ICONS[icon], 'accessible-name': icon ? label : undefined, tooltip: icon ? label : undefined, 'on-click': click }, icon ? [] : label);
const press = (control, done) => { tell(control.key, 'pressed'); if (control.removes) done(); };

const shown = (control, done = () => {}) => {
  const spot = h('div', { class: 'line' }, KINDS[control.kind](control, done));
  place(control.key, spot);
  return spot;
};

const rows = ({ looks, head, rows: list }) => {
  const controls = (row, line) => row.controls.map((control) => shown(control, () => line().remove()));
  if (looks === 'table') {
    return h('ui5-table', { 'accessible-name': head[0] },
      h('ui5-table-header-row', { slot: 'headerRow' }, head.map((text) => h('ui5-table-header-cell', {}, h('span', {}, text)))),
      list.map((row) => {
        const line = h('ui5-table-row', {}, h('ui5-table-cell', {}, h('ui5-label', {}, row.title)),
          h('ui5-table-cell', {}, h('ui5-label', {}, row.note)), h('ui5-table-cell', {}, controls(row, () => line)));
        return line;
      }));
  }
  if (looks === 'cards') {
    return h('div', { class: 'cards' }, list.map((row) => {
      const card = h('ui5-card', {}, h('ui5-card-header', { slot: 'header', 'title-text': row.title }),
        h('div', { class: 'inside' }, h('ui5-text', {}, row.note), h('div', { class: 'tools' }, controls(row, () => card))));
      return card;
    }));
  }
  return h('ui5-list', {}, list.map((row) => {
    const single = row.controls.length === 1 && row.controls[0].label === row.title;
    const item = h('ui5-li-custom', {}, single ? controls(row, () => item)
      : h('div', { class: 'row' }, h('div', {}, h('ui5-title', { level: 'H6' }, row.title), h('ui5-text', {}, row.note)),
        h('div', { class: 'tools' }, controls(row, () => item))));
    return item;
  }));
};

const body = (section) => {
  const texts = new Map();
  const groups = section.groups.map((group) => h('div', {},
    group.title ? h('ui5-title', { level: 'H5' }, group.title) : [],
    group.controls.map((control) => {
      if (control.kind !== 'text') return shown(control);
      const spot = h('div', { class: 'line' }, labelled(control, (id) => {
        const field = h('ui5-input', { ...control.attrs, id, value: control.value });
        texts.set(control.key, { field, saved: control.value });
        return field;
      }));
      place(control.key, spot);
      return spot;
    })));
  const save = () => {
    for (const [key, text] of texts) {
      if (text.field.value !== text.saved) tell(key, text.field.value);
      text.saved = text.field.value;
    }
  };
  const saver = section.save ? h('div', {}, h('ui5-button', { design: 'Emphasized', 'on-click': save }, section.save)) : [];
  if (section.save) place(`${section.key}/save`, saver);
  return h('div', { class: 'inside' }, section.note ? h('ui5-text', {}, section.note) : [], groups, section.rows ? rows(section.rows) : [], saver);
};

const whole = (section) => {
  if (section.looks !== 'accordion') {
    return h('ui5-card', {}, h('ui5-card-header', { slot: 'header', 'title-text': section.title }), body(section));
  }
  const panel = h('ui5-panel', { 'header-text': section.title, collapsed: true, 'on-toggle': () => tell(`view:${section.key}`, !panel.collapsed) }, body(section));
  place(`view:${section.key}`, panel);
  return panel;
};

const tabs = page.sections.filter((section) => section.looks === 'tab');
const style = h('style', {}, `body { margin: 0; background: var(--sapBackgroundColor) } main { max-width: 900px; padding: 16px }
  ui5-card, ui5-panel, ui5-tabcontainer { margin-bottom: 16px } .inside { padding: 8px 16px } .line { padding: 4px 0 }
  .row, .tools { display: flex; gap: 8px; justify-content: space-between; align-items: center } .row { flex: 1; padding: 8px 0 }
  .cards { display: grid; grid-template-columns: 1fr 1fr 1fr; gap: 8px }`);

async function show() {
  if (other) {
    document.body.classList.add('ui5-content-density-compact');
    registerThemePropertiesLoader('@ui5/webcomponents-theming', 'sap_horizon_dark', async () => colors);
    registerThemePropertiesLoader('@ui5/webcomponents', 'sap_horizon_dark', async () => dark);
    await setTheme('sap_horizon_dark');
  }
  document.head.append(style);
  document.querySelector('#root').append(
    h('ui5-bar', { design: 'Header' }, h('b', { slot: 'startContent' }, page.site),
      page.nav.map((link) => h('ui5-link', { slot: 'startContent', href: link.href }, link.title))),
    h('main', {}, h('ui5-title', { level: 'H1' }, page.title),
      tabs.length
        ? h('ui5-tabcontainer', { 'on-tab-select': ({ detail }) => tell(`view:${detail.tab.dataset.section}`, true) },
          tabs.map((section, index) => h('ui5-tab', { text: section.title, 'data-section': section.key, selected: index === 0 }, body(section))))
        : [],
      page.sections.filter((section) => section.looks !== 'tab').map(whole)));
}

show();
