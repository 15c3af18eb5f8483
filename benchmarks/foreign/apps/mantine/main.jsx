/* The settings pages with Mantine, as its documentation uses the components. */
import { createElement, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Accordion, ActionIcon, Anchor, Button, Card, Checkbox, Container, Fieldset, Group, MantineProvider, Menu, Modal, Paper, Radio,
  Select, SimpleGrid, Stack, Switch, Table, Tabs, Text, TextInput, Title, createTheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconDots, IconPencil, IconTrash } from '@tabler/icons-react';
import '@mantine/core/styles.css';
import { Spot, page, tell, useRows, useTexts, useValue } from '../../common/react.jsx';

const ICONS = { edit: IconPencil, delete: IconTrash, more: IconDots };
const other = page.theme === 'other';
// A theme of another team: dark, small and dense, filled fields, pills as tabs, labels before switches, another prefix of the classes.
const small = { defaultProps: { size: 'xs' } };
const filled = { defaultProps: { size: 'xs', variant: 'filled' } };
const look = other ? {
  forceColorScheme: 'dark',
  classNamesPrefix: 'acme',
  theme: createTheme({
    primaryColor: 'teal',
    defaultRadius: 0,
    fontFamily: 'Georgia, serif',
    spacing: { xs: '4px', sm: '6px', md: '8px', lg: '12px', xl: '16px' },
    components: {
      Accordion: { defaultProps: { variant: 'separated', chevronPosition: 'left' } },
      ActionIcon: { defaultProps: { variant: 'outline', size: 'sm' } },
      Button: { defaultProps: { variant: 'light', size: 'xs' } },
      Checkbox: small,
      Fieldset: { defaultProps: { variant: 'filled' } },
      Modal: { defaultProps: { centered: true, size: 'lg' } },
      Radio: small,
      Select: filled,
      Switch: { defaultProps: { size: 'xs', labelPosition: 'left' } },
      Table: { defaultProps: { striped: true, withTableBorder: true, withColumnBorders: true, verticalSpacing: 2 } },
      Tabs: { defaultProps: { variant: 'pills' } },
      TextInput: filled,
    },
  }),
} : {};

const icon = (name) => createElement(ICONS[name], { style: { width: '70%', height: '70%' }, stroke: 1.5 });

function Tick({ control }) {
  const [on, setOn] = useValue(control.key, control.on);
  const { id, name } = control.attrs;
  const Box = control.kind === 'switch' ? Switch : Checkbox;
  return <Box id={id} name={name} label={control.label} checked={on} onChange={(event) => setOn(event.currentTarget.checked)} />;
}

function Radios({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  const options = control.options.map((option) => <Radio key={option.key} value={option.key} label={option.label} />);
  return (
    <Radio.Group name={control.attrs.name} label={control.label} value={value} onChange={setValue}>
      {other ? <Stack mt="xs">{options}</Stack> : <Group mt="xs">{options}</Group>}
    </Radio.Group>
  );
}

function Choice({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  const data = control.options.map((option) => ({ value: option.key, label: option.label }));
  return <Select id={control.attrs.id} label={control.label} data={data} allowDeselect={false} value={value} onChange={setValue} />;
}

function Actions({ control }) {
  const opener = control.icon
    ? <ActionIcon variant="subtle" color="gray" aria-label={control.label}>{icon(control.icon)}</ActionIcon>
    : <Button>{control.label}</Button>;
  return (
    <Menu shadow="md" width={200}>
      <Menu.Target>{opener}</Menu.Target>
      <Menu.Dropdown>
        {control.options.map((option) => <Menu.Item key={option.key} onClick={() => tell(control.key, option.key)}>{option.label}</Menu.Item>)}
      </Menu.Dropdown>
    </Menu>
  );
}

function Question({ control }) {
  const [opened, { open, close }] = useDisclosure(false);
  const [title, text, yes, no] = control.ask;
  const end = (answer) => { close(); tell(control.key, answer); };
  return (
    <>
      <Modal opened={opened} onClose={() => end('closed')} title={title}>
        <Text size="sm">{text}</Text>
        <Group justify="flex-end" mt="lg">
          <Button variant="default" onClick={() => end('no')}>{no}</Button>
          <Button color="red" onClick={() => end('yes')}>{yes}</Button>
        </Group>
      </Modal>
      <Button color="red" data-testid={control.attrs['data-testid']} onClick={open}>{control.label}</Button>
    </>
  );
}

function Press({ control, done }) {
  const press = () => { tell(control.key, 'pressed'); if (control.removes) done(); };
  const test = { 'data-testid': control.attrs['data-testid'] };
  if (control.kind === 'icon') return <ActionIcon aria-label={control.label} onClick={press} {...test}>{icon(control.icon)}</ActionIcon>;
  return <Button onClick={press} {...test}>{control.label}</Button>;
}

const KINDS = {
  checkbox: Tick, switch: Tick, radio: Radios, select: Choice, menu: Actions, dialog: Question, button: Press, icon: Press,
};
const Control = ({ control, done }) => <Spot k={control.key}>{createElement(KINDS[control.kind], { control, done })}</Spot>;

function Rows({ rows: { looks, head, rows } }) {
  const [left, remove] = useRows(rows);
  const controls = (row) => row.controls.map((control) => <Control key={control.key} control={control} done={() => remove(row.key)} />);
  if (looks === 'table') {
    return (
      <Table>
        <Table.Thead><Table.Tr>{head.map((text) => <Table.Th key={text}>{text}</Table.Th>)}</Table.Tr></Table.Thead>
        <Table.Tbody>
          {left.map((row) => (
            <Table.Tr key={row.key}>
              <Table.Td>{row.title}</Table.Td>
              <Table.Td>{row.note}</Table.Td>
              <Table.Td><Group gap="xs">{controls(row)}</Group></Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    );
  }
  if (looks === 'cards') {
    return (
      <SimpleGrid cols={3}>
        {left.map((row) => (
          <Card key={row.key} shadow="sm" padding="lg" withBorder>
            <Text fw={500}>{row.title}</Text>
            <Text size="sm" c="dimmed">{row.note}</Text>
            <Group mt="md">{controls(row)}</Group>
          </Card>
        ))}
      </SimpleGrid>
    );
  }
  return (
    <Stack>
      {left.map((row) => (row.controls.length === 1 && row.controls[0].label === row.title
        ? <Control key={row.key} control={row.controls[0]} />
        : (
          <Group key={row.key} justify="space-between" wrap="nowrap">
            <div>
              <Text>{row.title}</Text>
              <Text size="xs" c="dimmed">{row.note}</Text>
            </div>
            <Group gap="xs">{controls(row)}</Group>
          </Group>
        )))}
    </Stack>
  );
}

function Body({ section }) {
  const [texts, write, save] = useTexts(section);
  return (
    <Stack>
      {section.note && <Text size="sm" c="dimmed">{section.note}</Text>}
      {section.groups.map((group) => {
        const controls = group.controls.map((control) => (control.kind === 'text'
          ? (
            <Spot k={control.key} key={control.key}>
              <TextInput
                id={control.attrs.id} name={control.attrs.name} label={control.label}
                value={texts[control.key]} onChange={(event) => write(control.key, event.currentTarget.value)}
              />
            </Spot>
          )
          : <Control key={control.key} control={control} />));
        return group.title
          ? <Fieldset key={group.key} legend={group.title}><Stack>{controls}</Stack></Fieldset>
          : <Stack key={group.key}>{controls}</Stack>;
      })}
      {section.rows && <Rows rows={section.rows} />}
      {section.save && <Spot k={`${section.key}/save`}><Button onClick={save}>{section.save}</Button></Spot>}
    </Stack>
  );
}

// Accordions and tabs write their values into ids: numbers, which are no keys.
function Unfolding({ sections }) {
  const [open, setOpen] = useState([]);
  const toggle = (now) => {
    setOpen(now);
    for (const [index, { key }] of sections.entries()) {
      const isOpen = now.includes(String(index));
      if (isOpen !== open.includes(String(index))) tell(`view:${key}`, isOpen);
    }
  };
  return (
    <Accordion multiple order={2} value={open} onChange={toggle}>
      {sections.map((section, index) => (
        <Accordion.Item key={section.key} value={String(index)}>
          <Spot k={`view:${section.key}`}><Accordion.Control>{section.title}</Accordion.Control></Spot>
          <Accordion.Panel><Body section={section} /></Accordion.Panel>
        </Accordion.Item>
      ))}
    </Accordion>
  );
}

function Tabbed({ sections }) {
  return (
    <Tabs defaultValue="0" onChange={(index) => tell(`view:${sections[index].key}`, true)}>
      <Tabs.List>
        {sections.map((section, index) => <Tabs.Tab key={section.key} value={String(index)}>{section.title}</Tabs.Tab>)}
      </Tabs.List>
      {sections.map((section, index) => <Tabs.Panel key={section.key} value={String(index)} pt="xs"><Body section={section} /></Tabs.Panel>)}
    </Tabs>
  );
}

function App() {
  const tabs = page.sections.filter((section) => section.looks === 'tab');
  const unfolding = page.sections.filter((section) => section.looks === 'accordion');
  return (
    <MantineProvider {...look}>
      <Group component="header" px="md" py="sm" gap="lg">
        <Text fw={700}>{page.site}</Text>
        {page.nav.map((link) => <Anchor key={link.href} href={link.href} aria-current={link.current ? 'page' : undefined}>{link.title}</Anchor>)}
      </Group>
      <Container component="main" size="md" py="lg">
        <Stack>
          <Title>{page.title}</Title>
          {tabs.length > 0 && <Tabbed sections={tabs} />}
          {page.sections.filter((section) => section.looks === 'plain').map((section) => (
            <Paper key={section.key} component="section" shadow="xs" p="xl" withBorder>
              <Title order={2} size="h3" mb="xs">{section.title}</Title>
              <Body section={section} />
            </Paper>
          ))}
          {unfolding.length > 0 && <Unfolding sections={unfolding} />}
        </Stack>
      </Container>
    </MantineProvider>
  );
}

createRoot(document.getElementById('root')).render(<App />);
