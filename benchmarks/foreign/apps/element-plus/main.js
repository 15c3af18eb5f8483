/* The settings pages with Element Plus, as its documentation uses the components. */
import { createApp, markRaw, ref } from 'vue';
import ElementPlus, { ElMessageBox } from 'element-plus';
import { Delete, Edit, MoreFilled } from '@element-plus/icons-vue';
import 'element-plus/dist/index.css';
import 'element-plus/theme-chalk/dark/css-vars.css';

const { page, place, tell } = globalThis.__foreign;
const ICONS = { edit: markRaw(Edit), delete: markRaw(Delete), more: markRaw(MoreFilled) };
const other = page.theme === 'other';

const Control = {
  props: ['control'],
  emits: ['done'],
  setup({ control }, { emit }) {
    const value = ref(control.kind === 'checkbox' || control.kind === 'switch' ? control.on : control.value);
    const [title, text, yes, no] = control.ask;
    const answer = (told) => tell(control.key, told);
    return {
      value,
      title, text, yes, no,
      answer,
      icon: ICONS[control.icon],
      spot: (el) => place(control.key, el),
      changed: (now) => tell(control.key, now),
      press: () => { answer('pressed'); if (control.removes) emit('done'); },
      ask: () => ElMessageBox.confirm(text, title, { confirmButtonText: yes, cancelButtonText: no, type: 'warning' })
        .then(() => answer('yes'), () => answer('no')),
    };
  },
  template: `
    <div :ref="spot" class="line">
      <el-form-item v-if="control.kind === 'checkbox'">
        <el-checkbox v-model="value" :id="control.attrs.id" :name="control.attrs.name" :label="control.label" @change="changed" />
      </el-form-item>
      <el-form-item v-else-if="control.kind === 'switch'" :label="control.label">
        <el-switch v-model="value" :id="control.attrs.id" :name="control.attrs.name" @change="changed" />
      </el-form-item>
      <el-form-item v-else-if="control.kind === 'radio'" :label="control.label">
        <el-radio-group v-model="value" :name="control.attrs.name" @change="changed">
          <el-radio v-for="option in control.options" :key="option.key" :label="option.key">{{ option.label }}</el-radio>
        </el-radio-group>
      </el-form-item>
      <el-form-item v-else-if="control.kind === 'select'" :label="control.label">
        <el-select v-model="value" :id="control.attrs.id" style="width: 240px" @change="changed">
          <el-option v-for="option in control.options" :key="option.key" :label="option.label" :value="option.key" />
        </el-select>
      </el-form-item>
      <el-dropdown v-else-if="control.kind === 'menu'" trigger="click" @command="answer">
        <el-button v-if="control.icon" :icon="icon" :aria-label="control.label" circle />
        <el-button v-else>{{ control.label }}</el-button>
        <template #dropdown>
          <el-dropdown-menu>
            <el-dropdown-item v-for="option in control.options" :key="option.key" :command="option.key">{{ option.label }}</el-dropdown-item>
          </el-dropdown-menu>
        </template>
      </el-dropdown>
      <el-button v-else-if="control.kind === 'dialog' && control.attrs['data-testid']" type="danger" :data-testid="control.attrs['data-testid']" @click="ask">{{ control.label }}</el-button>
      <el-popconfirm v-else-if="control.kind === 'dialog'" :title="title + ' ' + text" :confirm-button-text="yes" :cancel-button-text="no" width="260" @confirm="answer('yes')" @cancel="answer('no')">
        <template #reference><el-button type="danger">{{ control.label }}</el-button></template>
      </el-popconfirm>
      <el-button v-else-if="control.kind === 'icon'" :icon="icon" :aria-label="control.label" :data-testid="control.attrs['data-testid']" circle @click="press" />
      <el-button v-else :data-testid="control.attrs['data-testid']" @click="press">{{ control.label }}</el-button>
    </div>`,
};

const Rows = {
  components: { Control },
  props: ['rows'],
  setup({ rows }) {
    const left = ref(rows.rows);
    return {
      left,
      remove: (key) => { left.value = left.value.filter((row) => row.key !== key); },
      single: (row) => row.controls.length === 1 && row.controls[0].label === row.title,
    };
  },
  template: `
    <el-table v-if="rows.looks === 'table'" :data="left" row-key="key">
      <el-table-column prop="title" :label="rows.head[0]" />
      <el-table-column prop="note" :label="rows.head[1]" />
      <el-table-column :label="rows.head[2]">
        <template #default="{ row }">
          <Control v-for="control in row.controls" :key="control.key" :control="control" @done="remove(row.key)" />
        </template>
      </el-table-column>
    </el-table>
    <el-row v-else-if="rows.looks === 'cards'" :gutter="16">
      <el-col v-for="row in left" :key="row.key" :span="8">
        <el-card shadow="hover">
          <template #header><span>{{ row.title }}</span></template>
          <p>{{ row.note }}</p>
          <el-space><Control v-for="control in row.controls" :key="control.key" :control="control" @done="remove(row.key)" /></el-space>
        </el-card>
      </el-col>
    </el-row>
    <template v-else v-for="row in left" :key="row.key">
      <Control v-if="single(row)" :control="row.controls[0]" />
      <div v-else class="row">
        <div><el-text tag="b">{{ row.title }}</el-text><br><el-text size="small">{{ row.note }}</el-text></div>
        <el-space><Control v-for="control in row.controls" :key="control.key" :control="control" @done="remove(row.key)" /></el-space>
      </div>
    </template>`,
};

const Body = {
  components: { Control, Rows },
  props: ['section'],
  setup({ section }) {
    const fields = section.groups.flatMap((group) => group.controls).filter((control) => control.kind === 'text');
    const saved = Object.fromEntries(fields.map((field) => [field.key, field.value]));
    const texts = ref({ ...saved });
    return {
      texts,
      other,
      place,
      spot: (el) => place(`${section.key}/save`, el),
      save: () => {
        for (const { key } of fields) {
          if (texts.value[key] !== saved[key]) tell(key, texts.value[key]);
          saved[key] = texts.value[key];
        }
      },
    };
  },
  template: `
    <el-form :label-position="other ? 'left' : 'top'" @submit.prevent>
      <p v-if="section.note"><el-text type="info">{{ section.note }}</el-text></p>
      <div v-for="group in section.groups" :key="group.key">
        <h4 v-if="group.title">{{ group.title }}</h4>
        <template v-for="control in group.controls" :key="control.key">
          <div v-if="control.kind === 'text'" :ref="el => place(control.key, el)">
            <el-form-item :label="control.label">
              <el-input v-model="texts[control.key]" :id="control.attrs.id" :name="control.attrs.name" />
            </el-form-item>
          </div>
          <Control v-else :control="control" />
        </template>
      </div>
      <Rows v-if="section.rows" :rows="section.rows" />
      <div v-if="section.save" :ref="spot"><el-button type="primary" @click="save">{{ section.save }}</el-button></div>
    </el-form>`,
};

const App = {
  components: { Body },
  setup: () => ({
    page,
    place,
    tell,
    tabs: page.sections.filter((section) => section.looks === 'tab'),
    rest: page.sections.filter((section) => section.looks !== 'tab'),
    open: ref('1'),
    size: other ? 'small' : 'default',
    prefix: other ? 'acme' : 'el',
    looks: other ? 'border-card' : '',
  }),
  template: `
    <el-config-provider :size="size" :namespace="prefix">
      <el-container direction="vertical">
        <el-header>
          <el-space size="large">
            <b>{{ page.site }}</b>
            <a v-for="link in page.nav" :key="link.href" :href="link.href">{{ link.title }}</a>
          </el-space>
        </el-header>
        <el-main>
          <h1>{{ page.title }}</h1>
          <el-tabs v-if="tabs.length" v-model="open" :type="looks" @tab-change="name => tell('view:' + tabs[Number(name) - 1].key, true)">
            <el-tab-pane v-for="(section, index) in tabs" :key="section.key" :label="section.title" :name="String(index + 1)"><Body :section="section" /></el-tab-pane>
          </el-tabs>
          <template v-for="section in rest" :key="section.key">
            <div v-if="section.looks === 'accordion'" :ref="el => place('view:' + section.key, el)">
              <el-collapse @change="open => tell('view:' + section.key, open.length > 0)">
                <el-collapse-item :title="section.title" name="1"><Body :section="section" /></el-collapse-item>
              </el-collapse>
            </div>
            <el-card v-else>
              <template #header><h2>{{ section.title }}</h2></template>
              <Body :section="section" />
            </el-card>
          </template>
        </el-main>
      </el-container>
    </el-config-provider>`,
};

/** A theme of another team: dark and small, with another prefix of the classes, as if its styles had been compiled with it. */
async function restyle() {
  const link = document.querySelector('link[rel=stylesheet]');
  const css = await (await fetch(link.href)).text();
  const style = document.createElement('style');
  style.textContent = css.replace(/\.el-/g, '.acme-').replace(/--el-/g, '--acme-');
  link.replaceWith(style);
  document.documentElement.classList.add('dark');
}

const style = document.createElement('style');
style.textContent = 'body { margin: 0; font-family: sans-serif } main { max-width: 900px } .row { display: flex; justify-content: space-between; padding: 8px 0 }';
document.head.append(style);
(other ? restyle() : Promise.resolve()).then(() => createApp(App).use(ElementPlus).mount('#root'));
