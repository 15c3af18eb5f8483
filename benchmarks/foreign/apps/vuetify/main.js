/* The settings pages with Vuetify, as its documentation uses the components. */
import { createApp, reactive, ref } from 'vue';
import 'vuetify/styles';
import { createVuetify } from 'vuetify';
import * as components from 'vuetify/components';
import * as directives from 'vuetify/directives';
import { md1 } from 'vuetify/blueprints';
import { aliases, mdi } from 'vuetify/iconsets/mdi-svg';
import { mdiDelete, mdiDotsVertical, mdiPencil } from '@mdi/js';

const { page, place, tell } = globalThis.__foreign;
const ICONS = { edit: mdiPencil, delete: mdiDelete, more: mdiDotsVertical };

// A theme of another team: dark, Material Design 1, compact, outlined and underlined fields, flat buttons.
const OTHER = {
  blueprint: md1,
  theme: { defaultTheme: 'dark' },
  defaults: {
    global: { ripple: false },
    VTextField: { variant: 'underlined', density: 'compact' },
    VSelect: { variant: 'solo-filled', density: 'compact' },
    VCheckbox: { density: 'compact', color: 'secondary' },
    VSwitch: { density: 'compact', inset: true },
    VRadioGroup: { inline: true },
    VBtn: { variant: 'flat', size: 'small', rounded: 'pill' },
    VTable: { density: 'compact' },
    VList: { density: 'compact', rounded: true },
    VTabs: { grow: true, alignTabs: 'center' },
    VExpansionPanels: { variant: 'popout' },
  },
};
const PLAIN = { theme: { defaultTheme: 'light' } };

const app = createApp({
  setup() {
    const tabs = page.sections.filter((section) => section.looks === 'tab');
    const open = ref(tabs[0]?.key);
    const unfolding = page.sections.filter((section) => section.looks === 'accordion');
    const show = (key) => { open.value = key; tell(`view:${key}`, true); };
    return { page, tabs, open, show, unfolding, tell, plain: page.sections.filter((section) => section.looks === 'plain') };
  },
  template: `
    <v-app>
      <v-app-bar>
        <v-app-bar-title>{{ page.site }}</v-app-bar-title>
        <v-btn v-for="link in page.nav" :key="link.href" variant="text" :href="link.href">{{ link.title }}</v-btn>
      </v-app-bar>
      <v-main>
        <v-container style="max-width: 900px">
          <h1 class="text-h4">{{ page.title }}</h1>
          <v-card v-if="tabs.length" class="my-4">
            <v-tabs :model-value="open" @update:model-value="show">
              <v-tab v-for="section in tabs" :key="section.key" :value="section.key">{{ section.title }}</v-tab>
            </v-tabs>
            <v-window :model-value="open">
              <v-window-item v-for="section in tabs" :key="section.key" :value="section.key">
                <v-card-text><section-body :section="section" /></v-card-text>
              </v-window-item>
            </v-window>
          </v-card>
          <v-card v-for="section in plain" :key="section.key" class="my-4">
            <v-card-title tag="h2">{{ section.title }}</v-card-title>
            <v-card-text><section-body :section="section" /></v-card-text>
          </v-card>
          <v-expansion-panels v-if="unfolding.length" multiple>
            <v-expansion-panel v-for="section in unfolding" :key="section.key" @group:selected="tell('view:' + section.key, $event.value)">
              <spot :k="'view:' + section.key"><v-expansion-panel-title>{{ section.title }}</v-expansion-panel-title></spot>
              <v-expansion-panel-text><section-body :section="section" /></v-expansion-panel-text>
            </v-expansion-panel>
          </v-expansion-panels>
        </v-container>
      </v-main>
    </v-app>`,
});

app.component('Spot', {
  props: ['k'],
  setup: (props) => ({ keep: (el) => place(props.k, el) }),
  template: '<div :ref="keep"><slot /></div>',
});

app.component('SectionBody', {
  props: ['section'],
  setup({ section }) {
    const fields = section.groups.flatMap((group) => group.controls).filter((control) => control.kind === 'text');
    const texts = reactive(Object.fromEntries(fields.map((field) => [field.key, field.value])));
    let saved = { ...texts };
    const save = () => {
      for (const { key } of fields) if (texts[key] !== saved[key]) tell(key, texts[key]);
      saved = { ...texts };
    };
    return { texts, save };
  },
  template: `
    <p v-if="section.note">{{ section.note }}</p>
    <div v-for="group in section.groups" :key="group.key" class="my-2">
      <h3 v-if="group.title" class="text-subtitle-1">{{ group.title }}</h3>
      <template v-for="control in group.controls" :key="control.key">
        <spot v-if="control.kind === 'text'" :k="control.key">
          <v-text-field v-model="texts[control.key]" :label="control.label" :id="control.attrs.id" :name="control.attrs.name" />
        </spot>
        <control v-else :control="control" />
      </template>
    </div>
    <section-rows v-if="section.rows" :rows="section.rows" />
    <spot v-if="section.save" :k="section.key + '/save'"><v-btn color="primary" @click="save">{{ section.save }}</v-btn></spot>`,
});

app.component('SectionRows', {
  props: ['rows'],
  setup({ rows }) {
    const left = ref(rows.rows);
    const remove = (key) => { left.value = left.value.filter((row) => row.key !== key); };
    const own = (row) => row.controls.length === 1 && row.controls[0].label === row.title;
    return { left, remove, own };
  },
  template: `
    <v-table v-if="rows.looks === 'table'">
      <thead><tr><th v-for="text in rows.head" :key="text">{{ text }}</th></tr></thead>
      <tbody>
        <tr v-for="row in left" :key="row.key">
          <td>{{ row.title }}</td><td>{{ row.note }}</td>
          <td><div class="d-flex ga-2"><control v-for="each in row.controls" :key="each.key" :control="each" @done="remove(row.key)" /></div></td>
        </tr>
      </tbody>
    </v-table>
    <v-row v-else-if="rows.looks === 'cards'">
      <v-col v-for="row in left" :key="row.key" cols="4">
        <v-card variant="outlined" :title="row.title" :subtitle="row.note">
          <v-card-actions><control v-for="each in row.controls" :key="each.key" :control="each" @done="remove(row.key)" /></v-card-actions>
        </v-card>
      </v-col>
    </v-row>
    <v-list v-else lines="two">
      <template v-for="row in left" :key="row.key">
        <v-list-item v-if="own(row)"><control :control="row.controls[0]" /></v-list-item>
        <v-list-item v-else :title="row.title" :subtitle="row.note">
          <template #append>
            <div class="d-flex ga-2 align-center"><control v-for="each in row.controls" :key="each.key" :control="each" @done="remove(row.key)" /></div>
          </template>
        </v-list-item>
      </template>
    </v-list>`,
});

app.component('Control', {
  props: ['control'],
  emits: ['done'],
  setup({ control }, { emit }) {
    const tick = control.kind === 'checkbox' || control.kind === 'switch';
    const value = ref(tick ? control.on : control.value);
    const set = (next) => { value.value = next; tell(control.key, next); };
    const asking = ref(false);
    const answer = (text) => { asking.value = false; tell(control.key, text); };
    const press = () => { tell(control.key, 'pressed'); if (control.removes) emit('done'); };
    return { value, set, asking, answer, press, tell, ICONS, id: control.attrs.id, name: control.attrs.name, test: control.attrs['data-testid'] };
  },
  template: `
    <spot :k="control.key">
      <v-checkbox v-if="control.kind === 'checkbox'" :id="id" :name="name" :label="control.label" :model-value="value" hide-details @update:model-value="set" />
      <v-switch v-else-if="control.kind === 'switch'" :id="id" :name="name" :label="control.label" :model-value="value" hide-details @update:model-value="set" />
      <v-radio-group v-else-if="control.kind === 'radio'" :id="id" :name="name" :label="control.label" :model-value="value" @update:model-value="set">
        <v-radio v-for="option in control.options" :key="option.key" :value="option.key" :label="option.label" />
      </v-radio-group>
      <v-select v-else-if="control.kind === 'select'" :id="id" :name="name" :label="control.label" :items="control.options" item-title="label" item-value="key" :model-value="value" @update:model-value="set" />
      <v-menu v-else-if="control.kind === 'menu'">
        <template #activator="{ props }">
          <v-btn v-if="control.icon" :icon="ICONS[control.icon]" variant="text" :aria-label="control.label" v-bind="props" />
          <v-btn v-else v-bind="props">{{ control.label }}</v-btn>
        </template>
        <v-list>
          <v-list-item v-for="option in control.options" :key="option.key" :title="option.label" @click="tell(control.key, option.key)" />
        </v-list>
      </v-menu>
      <v-dialog v-else-if="control.kind === 'dialog'" v-model="asking" max-width="480">
        <template #activator="{ props }"><v-btn color="error" :data-testid="test" v-bind="props">{{ control.label }}</v-btn></template>
        <v-card :title="control.ask[0]" :text="control.ask[1]">
          <template #actions>
            <v-spacer />
            <v-btn @click="answer('no')">{{ control.ask[3] }}</v-btn>
            <v-btn color="error" @click="answer('yes')">{{ control.ask[2] }}</v-btn>
          </template>
        </v-card>
      </v-dialog>
      <v-btn v-else-if="control.kind === 'icon'" :icon="ICONS[control.icon]" variant="text" :aria-label="control.label" :data-testid="test" @click="press" />
      <v-btn v-else :data-testid="test" @click="press">{{ control.label }}</v-btn>
    </spot>`,
});

const icons = { defaultSet: 'mdi', aliases, sets: { mdi } };
app.use(createVuetify({ components, directives, icons, ...(page.theme === 'other' ? OTHER : PLAIN) })).mount('#root');
