/* The settings pages with Ant Design, as its documentation uses the components. */
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Button, Card, Checkbox, Collapse, ConfigProvider, Dropdown, Flex, Form, Input, Layout, List, Menu, Modal, Popconfirm, Radio,
  Select, Space, Switch, Table, Tabs, Typography, theme,
} from 'antd';
import { DeleteOutlined, EditOutlined, MoreOutlined } from '@ant-design/icons';
import { Spot, page, tell, useRows, useTexts, useValue } from '../../common/react.jsx';

const ICONS = { edit: EditOutlined, delete: DeleteOutlined, more: MoreOutlined };
const other = page.theme === 'other';
// A theme of another team: dark and compact, filled fields, cards as tabs, another prefix of the classes.
const look = other ? {
  prefixCls: 'acme',
  componentSize: 'small',
  variant: 'filled',
  theme: { algorithm: [theme.darkAlgorithm, theme.compactAlgorithm], token: { colorPrimary: '#80cbc4', borderRadius: 0 } },
} : {};

const icon = (name) => createElement(ICONS[name]);
// A form item leads its label to the field only where the field has an id.
const idOf = ({ attrs }) => attrs.id ?? attrs.name;

function Tick({ control }) {
  const [on, setOn] = useValue(control.key, control.on);
  const { id, name } = control.attrs;
  return <Form.Item><Checkbox id={id} name={name} checked={on} onChange={(event) => setOn(event.target.checked)}>{control.label}</Checkbox></Form.Item>;
}

function Toggle({ control }) {
  const [on, setOn] = useValue(control.key, control.on);
  return <Form.Item label={control.label} htmlFor={idOf(control)}><Switch id={idOf(control)} checked={on} onChange={setOn} /></Form.Item>;
}

function Radios({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  return (
    <Form.Item label={control.label}>
      <Radio.Group name={control.attrs.name} value={value} onChange={(event) => setValue(event.target.value)}>
        {control.options.map((option) => <Radio key={option.key} value={option.key}>{option.label}</Radio>)}
      </Radio.Group>
    </Form.Item>
  );
}

function Choice({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  const options = control.options.map((option) => ({ value: option.key, label: option.label }));
  return (
    <Form.Item label={control.label} htmlFor={idOf(control)}>
      <Select id={idOf(control)} style={{ width: 240 }} value={value} onChange={setValue} options={options} />
    </Form.Item>
  );
}

function Actions({ control }) {
  const items = control.options.map((option, index) => ({ key: String(index + 1), label: option.label, onClick: () => tell(control.key, option.key) }));
  return (
    <Dropdown menu={{ items }} trigger={['click']}>
      {control.icon ? <Button type="text" icon={icon(control.icon)} aria-label={control.label} /> : <Button>{control.label}</Button>}
    </Dropdown>
  );
}

function Question({ control }) {
  const [open, setOpen] = useState(false);
  const [title, text, yes, no] = control.ask;
  const end = (answer) => { setOpen(false); tell(control.key, answer); };
  const test = control.attrs['data-testid'];
  if (!test) {
    return (
      <Popconfirm title={title} description={text} okText={yes} cancelText={no} onConfirm={() => end('yes')} onCancel={() => end('no')}>
        <Button danger>{control.label}</Button>
      </Popconfirm>
    );
  }
  return (
    <>
      <Button danger data-testid={test} onClick={() => setOpen(true)}>{control.label}</Button>
      <Modal title={title} open={open} onOk={() => end('yes')} onCancel={() => end('no')} okText={yes} cancelText={no}><p>{text}</p></Modal>
    </>
  );
}

function Press({ control, done }) {
  const press = () => { tell(control.key, 'pressed'); if (control.removes) done(); };
  const test = { 'data-testid': control.attrs['data-testid'] };
  if (control.kind === 'icon') return <Button type="text" icon={icon(control.icon)} aria-label={control.label} onClick={press} {...test} />;
  return <Button onClick={press} {...test}>{control.label}</Button>;
}

const KINDS = {
  checkbox: Tick, switch: Toggle, radio: Radios, select: Choice, menu: Actions, dialog: Question, button: Press, icon: Press,
};
const Control = ({ control, done }) => <Spot k={control.key}>{createElement(KINDS[control.kind], { control, done })}</Spot>;

function Rows({ rows: { looks, head, rows } }) {
  const [left, remove] = useRows(rows);
  const controls = (row) => row.controls.map((control) => <Control key={control.key} control={control} done={() => remove(row.key)} />);
  if (looks === 'table') {
    // The table writes the keys of its rows into the page: numbers, as in the documentation.
    const data = left.map((row) => ({ key: rows.indexOf(row) + 1, title: row.title, note: row.note, action: <Space>{controls(row)}</Space> }));
    const columns = ['title', 'note', 'action'].map((name, index) => ({ title: head[index], dataIndex: name }));
    return <Table columns={columns} dataSource={data} pagination={false} bordered={other} />;
  }
  if (looks === 'cards') {
    return (
      <Flex gap="middle">
        {left.map((row) => <Card key={row.key} title={row.title} actions={controls(row)}>{row.note}</Card>)}
      </Flex>
    );
  }
  return (
    <List
      dataSource={left}
      rowKey="key"
      bordered={other}
      renderItem={(row) => (row.controls.length === 1 && row.controls[0].label === row.title
        ? <List.Item>{controls(row)}</List.Item>
        : <List.Item actions={controls(row)}><List.Item.Meta title={row.title} description={row.note} /></List.Item>)}
    />
  );
}

function Body({ section }) {
  const [texts, write, save] = useTexts(section);
  return (
    <Form layout={other ? 'horizontal' : 'vertical'}>
      {section.note && <Typography.Paragraph type="secondary">{section.note}</Typography.Paragraph>}
      {section.groups.map((group) => (
        <div key={group.key}>
          {group.title && <Typography.Title level={5}>{group.title}</Typography.Title>}
          {group.controls.map((control) => (control.kind === 'text'
            ? (
              <Spot k={control.key} key={control.key}>
                <Form.Item label={control.label} htmlFor={idOf(control)}>
                  <Input id={idOf(control)} name={control.attrs.name} value={texts[control.key]} onChange={(event) => write(control.key, event.target.value)} />
                </Form.Item>
              </Spot>
            )
            : <Control key={control.key} control={control} />))}
        </div>
      ))}
      {section.rows && <Rows rows={section.rows} />}
      {section.save && <Spot k={`${section.key}/save`}><Button type="primary" onClick={save}>{section.save}</Button></Spot>}
    </Form>
  );
}

function Unfolding({ section }) {
  const items = [{ key: '1', label: section.title, children: <Body section={section} /> }];
  return <Spot k={`view:${section.key}`}><Collapse items={items} onChange={(open) => tell(`view:${section.key}`, open.length > 0)} /></Spot>;
}

function Tabbed({ sections }) {
  const items = sections.map((section, index) => ({ key: String(index + 1), label: section.title, children: <Body section={section} /> }));
  return <Tabs items={items} type={other ? 'card' : 'line'} onChange={(key) => tell(`view:${sections[Number(key) - 1].key}`, true)} />;
}

function App() {
  const tabs = page.sections.filter((section) => section.looks === 'tab');
  const links = page.nav.map((link, index) => ({ key: String(index + 1), label: <a href={link.href}>{link.title}</a> }));
  const current = page.nav.findIndex((link) => link.current) + 1;
  return (
    <ConfigProvider {...look}>
      <Layout>
        <Layout.Header style={{ display: 'flex', gap: 24 }}>
          <Typography.Text style={{ color: 'white' }}>{page.site}</Typography.Text>
          <Menu theme="dark" mode="horizontal" selectedKeys={[String(current)]} items={links} style={{ flex: 1 }} />
        </Layout.Header>
        <Layout.Content style={{ padding: 24, maxWidth: 900, width: '100%', margin: '0 auto' }}>
          <Typography.Title>{page.title}</Typography.Title>
          <Space direction="vertical" size="large" style={{ display: 'flex' }}>
            {tabs.length > 0 && <Tabbed sections={tabs} />}
            {page.sections.filter((section) => section.looks !== 'tab').map((section) => (section.looks === 'accordion'
              ? <Unfolding key={section.key} section={section} />
              : <Card key={section.key} title={section.title}><Body section={section} /></Card>))}
          </Space>
        </Layout.Content>
      </Layout>
    </ConfigProvider>
  );
}

createRoot(document.getElementById('root')).render(<App />);
