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
  template: `
    <Menubar :model="nav"><template #start><b>{{ page.site }}</b></template></Menubar>
    <ConfirmDialog />
    <ConfirmPopup group="popup" />
    <main>
      <h1>{{ page.title }}</h1>
      <template v-if="tabs.length">
        <Tabs v-if="isNew" :value="0" @update:value="show">
          <TabList><Tab v-for="(section, index) in tabs" :key="section.key" :value="index">{{ section.title }}</Tab></TabList>
          <TabPanels><TabPanel v-for="(section, index) in tabs" :key="section.key" :value="index"><SectionBody :section="section" /></TabPanel></TabPanels>
        </Tabs>
        <TabView v-else @tab-change="show($event.index)">
          <TabPanel v-for="section in tabs" :key="section.key" :header="section.title"><SectionBody :section="section" /></TabPanel>
        </TabView>
      </template>
      <template v-for="section in rest" :key="section.key">
        <Spot v-if="section.looks === 'accordion'" :k="'view:' + section.key">
          <Accordion v-if="isNew" @update:value="tell('view:' + section.key, $event !== null)">
            <AccordionPanel value="0">
              <AccordionHeader>{{ section.title }}</AccordionHeader>
              <AccordionContent><SectionBody :section="section" /></AccordionContent>
            </AccordionPanel>
          </Accordion>
          <Accordion v-else @tab-open="tell('view:' + section.key, true)" @tab-close="tell('view:' + section.key, false)">
            <AccordionTab :header="section.title"><SectionBody :section="section" /></AccordionTab>
          </Accordion>
        </Spot>
        <Panel v-else :header="section.title"><SectionBody :section="section" /></Panel>
      </template>
    </main>`,
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
  template: `
    <p v-if="section.note">{{ section.note }}</p>
    <component :is="group.title ? 'Fieldset' : 'div'" v-for="group in section.groups" :key="group.key" :legend="group.title || undefined">
      <template v-for="control in group.controls" :key="control.key">
        <Spot v-if="control.kind === 'text'" :k="control.key">
          <label class="field" :for="control.attrs.id">{{ control.label }}<InputText v-model="texts[control.key]" v-bind="field" :id="control.attrs.id" :name="control.attrs.name" /></label>
        </Spot>
        <Control v-else :control="control" />
      </template>
    </component>
    <SectionRows v-if="section.rows" :rows="section.rows" />
    <Spot v-if="section.save" :k="section.key + '/save'"><Button :label="section.save" @click="save" /></Spot>`,
};

const SectionRows = {
  props: ['rows'],
  setup({ rows }) {
    const left = ref(rows.rows);
    const remove = (key) => { left.value = left.value.filter((row) => row.key !== key); };
    const own = (row) => row.controls.length === 1 && row.controls[0].label === row.title;
    return { left, remove, own, table };
  },
  template: `
    <DataTable v-if="rows.looks === 'table'" :value="left" v-bind="table">
      <Column field="title" :header="rows.head[0]" />
      <Column field="note" :header="rows.head[1]" />
      <Column :header="rows.head[2]">
        <template #body="{ data }">
          <div class="line"><Control v-for="each in data.controls" :key="each.key" :control="each" @done="remove(data.key)" /></div>
        </template>
      </Column>
    </DataTable>
    <div v-else-if="rows.looks === 'cards'" class="cards">
      <Card v-for="row in left" :key="row.key">
        <template #title>{{ row.title }}</template>
        <template #subtitle>{{ row.note }}</template>
        <template #footer>
          <div class="line"><Control v-for="each in row.controls" :key="each.key" :control="each" @done="remove(row.key)" /></div>
        </template>
      </Card>
    </div>
    <DataView v-else :value="left">
      <template #list="{ items }">
        <div v-for="row in items" :key="row.key" class="row">
          <Control v-if="own(row)" :control="row.controls[0]" />
          <template v-else>
            <div><b>{{ row.title }}</b><br>{{ row.note }}</div>
            <div class="line"><Control v-for="each in row.controls" :key="each.key" :control="each" @done="remove(row.key)" /></div>
          </template>
        </div>
      </template>
    </DataView>`,
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
  template: `
    <Spot :k="control.key">
      <label v-if="control.kind === 'checkbox'" class="line" :for="id">
        <Checkbox :model-value="value" binary v-bind="field" :inputId="id" :name="name" @update:model-value="set" />{{ control.label }}
      </label>
      <label v-else-if="control.kind === 'switch'" class="line" :for="id">
        <ToggleSwitch :model-value="value" :inputId="id" @update:model-value="set" />{{ control.label }}
      </label>
      <Fieldset v-else-if="control.kind === 'radio'" :legend="control.label">
        <div class="line">
          <label v-for="option in control.options" :key="option.key" class="line">
            <RadioButton :model-value="value" v-bind="field" :name="name" :value="option.key" @update:model-value="set" />{{ option.label }}
          </label>
        </div>
      </Fieldset>
      <div v-else-if="control.kind === 'select'" class="field">
        <label :for="id">{{ control.label }}</label>
        <Select :model-value="value" :options="control.options" optionLabel="label" optionValue="key" v-bind="field" :inputId="id" :aria-label="control.label" @update:model-value="set" />
      </div>
      <template v-else-if="control.kind === 'menu'">
        <Button v-if="control.icon" :icon="icon" text rounded :aria-label="control.label" aria-haspopup="true" @click="menu.toggle($event)" />
        <Button v-else :label="control.label" icon="pi pi-chevron-down" iconPos="right" v-bind="button" aria-haspopup="true" @click="menu.toggle($event)" />
        <Menu ref="menu" :model="items" popup />
      </template>
      <Button v-else-if="control.kind === 'dialog'" :label="control.label" v-bind="button" severity="danger" :data-testid="test" @click="ask" />
      <Button v-else-if="control.kind === 'icon'" :icon="icon" text rounded :aria-label="control.label" :data-testid="test" @click="press" />
      <Button v-else :label="control.label" v-bind="button" :data-testid="test" @click="press" />
    </Spot>`,
};

const LAYOUT = `
  body { margin: 0; font-family: sans-serif; background: var(--surface-ground, var(--p-content-background)); color: var(--text-color, var(--p-text-color)) }
  main { max-width: 900px; margin: 0 auto; display: grid; gap: 24px }
  .line, .row { display: flex; flex-wrap: wrap; align-items: center; gap: 8px; padding: 6px 0 }
  .row { justify-content: space-between }
  .field { display: grid; gap: 4px; max-width: 320px; padding: 6px 0 }
  .cards { display: grid; grid-template-columns: repeat(3, 1fr); gap: 16px }`;

async function start() {
  for (const [name, file] of Object.entries(FILES)) added[name] = (await file).default;
  const { sheet, preset, ...components } = {
    Accordion, AccordionTab, Button, Card, Checkbox, Column, ConfirmDialog, ConfirmPopup, Control, DataTable, DataView,
    Fieldset, InputText, Menu, Menubar, Panel, RadioButton, SectionBody, SectionRows, Spot, TabPanel, TabView,
    ...added, Select: added.Select ?? Dropdown, ToggleSwitch: added.ToggleSwitch ?? InputSwitch,
  };
  const style = document.createElement('style');
  style.textContent = (sheet ?? '') + LAYOUT;
  document.head.append(style);
  if (other) document.documentElement.classList.add('dark');
  const theme = { preset, options: { darkModeSelector: '.dark' } };
  const app = createApp(App).use(PrimeVue, { ripple: other, theme }).use(ConfirmationService);
  for (const [name, component] of Object.entries(components)) if (component) app.component(name, component);
  app.mount('#root');
}

start();
