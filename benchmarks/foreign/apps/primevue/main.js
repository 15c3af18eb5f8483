/* The settings pages with PrimeVue, as its documentation uses the components; those that version 4 replaced, in both ways. */
import { createApp, reactive, ref } from 'vue';
import PrimeVue from 'primevue/config';
import Accordion from 'primevue/accordion';
import AccordionTab from 'primevue/accordiontab';
import Button from 'primevue/button';
import Card from 'primevue/card';
import Checkbox from 'primevue/checkbox';
import Column from 'primevue/column';
import ConfirmationService from 'primevue/confirmationservice';
import ConfirmDialog from 'primevue/confirmdialog';
import ConfirmPopup from 'primevue/confirmpopup';
import DataTable from 'primevue/datatable';
import DataView from 'primevue/dataview';
import Dropdown from 'primevue/dropdown';
import Fieldset from 'primevue/fieldset';
import InputSwitch from 'primevue/inputswitch';
import InputText from 'primevue/inputtext';
import Menu from 'primevue/menu';
import Menubar from 'primevue/menubar';
import Panel from 'primevue/panel';
import RadioButton from 'primevue/radiobutton';
import TabPanel from 'primevue/tabpanel';
import TabView from 'primevue/tabview';
import { useConfirm } from 'primevue/useconfirm';
import 'primeicons/primeicons.css';
import appTemplate from './app.html' with { type: 'text' };
import sectionTemplate from './section.html' with { type: 'text' };
import rowsTemplate from './rows.html' with { type: 'text' };
import controlTemplate from './control.html' with { type: 'text' };
import layout from './layout.css' with { type: 'text' };

const { page, place, tell } = globalThis.__foreign;
const ICONS = { edit: 'pi pi-pencil', delete: 'pi pi-trash', more: 'pi pi-ellipsis-v' };

// A theme of another team: dark, ripples, filled fields, small round buttons, a table with lines.
const other = page.theme === 'other';
const field = other ? { variant: 'filled' } : {};
const button = other ? { size: 'small', rounded: true, severity: 'help' } : { outlined: true };
const table = other ? { size: 'small', showGridlines: true, stripedRows: true } : {};

const none = () => ({ default: undefined });
/** What only one of the versions has: style sheets of themes in 3, presets and other components in 4. */
const FILES = {
  sheet: other
    ? import('primevue/resources/themes/bootstrap4-dark-purple/theme.css', { with: { type: 'text' } }).catch(none)
    : import('primevue/resources/themes/saga-green/theme.css', { with: { type: 'text' } }).catch(none),
  preset: other ? import('@primeuix/themes/material').catch(none) : import('@primeuix/themes/aura').catch(none),
  AccordionContent: import('primevue/accordioncontent').catch(none),
  AccordionHeader: import('primevue/accordionheader').catch(none),
  AccordionPanel: import('primevue/accordionpanel').catch(none),
  Select: import('primevue/select').catch(none),
  Tab: import('primevue/tab').catch(none),
  TabList: import('primevue/tablist').catch(none),
  TabPanels: import('primevue/tabpanels').catch(none),
  Tabs: import('primevue/tabs').catch(none),
  ToggleSwitch: import('primevue/toggleswitch').catch(none),
};
/** What is there, once it has been read. */
const added = {};

const App = {
  setup() {
    const tabs = page.sections.filter((section) => section.looks === 'tab');
    return {
      page,
      tabs,
      tell,
      isNew: Boolean(added.Tabs),
      nav: page.nav.map((link) => ({ label: link.title, url: link.href })),
      rest: page.sections.filter((section) => section.looks !== 'tab'),
      show: (index) => tell(`view:${tabs[index].key}`, true),
    };
  },
  template: appTemplate,
};

const Spot = {
  props: ['k'],
  setup: (props) => ({ keep: (el) => place(props.k, el) }),
  template: '<div :ref="keep"><slot /></div>',
};

const SectionBody = {
  props: ['section'],
  setup({ section }) {
    const fields = section.groups.flatMap((group) => group.controls).filter((control) => control.kind === 'text');
    const texts = reactive(Object.fromEntries(fields.map((each) => [each.key, each.value])));
    let saved = { ...texts };
    const save = () => {
      for (const { key } of fields) if (texts[key] !== saved[key]) tell(key, texts[key]);
      saved = { ...texts };
    };
    return { texts, save, field };
  },
  template: sectionTemplate,
};

const SectionRows = {
  props: ['rows'],
  setup({ rows }) {
    const left = ref(rows.rows);
    const remove = (key) => { left.value = left.value.filter((row) => row.key !== key); };
    const own = (row) => row.controls.length === 1 && row.controls[0].label === row.title;
    return { left, remove, own, table };
  },
  template: rowsTemplate,
};

const Control = {
  props: ['control'],
  emits: ['done'],
  setup({ control }, { emit }) {
    const confirm = useConfirm();
    const isTick = control.kind === 'checkbox' || control.kind === 'switch';
    const value = ref(isTick ? control.on : control.value);
    const [header, text, acceptLabel, rejectLabel] = control.ask;
    const answer = (told) => tell(control.key, told);
    const no = () => answer('no');
    const question = { acceptLabel, rejectLabel, acceptClass: 'p-button-danger', accept: () => answer('yes'), reject: no, onHide: no };
    const menu = ref();
    return {
      value, field, button, menu,
      id: control.attrs.id, name: control.attrs.name, test: control.attrs['data-testid'],
      icon: ICONS[control.icon],
      set: (next) => { value.value = next; answer(next); },
      press: () => { answer('pressed'); if (control.removes) emit('done'); },
      items: control.options.map((option) => ({ label: option.label, command: () => answer(option.key) })),
      ask: (event) => confirm.require(control.attrs['data-testid']
        ? { ...question, header, message: text, icon: 'pi pi-exclamation-triangle' }
        : { ...question, group: 'popup', target: event.currentTarget, message: `${header} ${text}` }),
    };
  },
  template: controlTemplate,
};

async function start() {
  for (const [name, file] of Object.entries(FILES)) added[name] = (await file).default;
  const { sheet, preset, ...components } = {
    Accordion, AccordionTab, Button, Card, Checkbox, Column, ConfirmDialog, ConfirmPopup, Control, DataTable, DataView,
    Fieldset, InputText, Menu, Menubar, Panel, RadioButton, SectionBody, SectionRows, Spot, TabPanel, TabView,
    ...added, Select: added.Select ?? Dropdown, ToggleSwitch: added.ToggleSwitch ?? InputSwitch,
  };
  const style = document.createElement('style');
  style.textContent = (sheet ?? '') + layout;
  document.head.append(style);
  if (other) document.documentElement.classList.add('dark');
  const theme = { preset, options: { darkModeSelector: '.dark' } };
  const app = createApp(App).use(PrimeVue, { ripple: other, theme }).use(ConfirmationService);
  for (const [name, component] of Object.entries(components)) if (component) app.component(name, component);
  app.mount('#root');
}

start();
