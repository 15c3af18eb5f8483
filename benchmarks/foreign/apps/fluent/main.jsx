/* The settings pages with Fluent UI React v9, as its documentation uses the components. */
import { createElement, useId, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Accordion, AccordionHeader, AccordionItem, AccordionPanel, Button, Card, CardFooter, CardHeader, Checkbox, Dialog, DialogActions,
  DialogBody, DialogContent, DialogSurface, DialogTitle, DialogTrigger, Dropdown, Field, FluentProvider, IdPrefixProvider, Input, Link,
  Menu, MenuButton, MenuItem, MenuList, MenuPopover, MenuTrigger, Option, Radio, RadioGroup, RendererProvider, Switch, Tab, TabList,
  Table, TableBody, TableCell, TableHeader, TableHeaderCell, TableRow, Text, Title1, Title3, Subtitle2, createDOMRenderer,
  makeStyles, shorthands, teamsDarkTheme, tokens, webLightTheme,
} from '@fluentui/react-components';
import { DeleteRegular, EditRegular, MoreVerticalRegular } from '@fluentui/react-icons';
import { Spot, page, tell, useRows, useTexts, useValue } from '../../common/react.jsx';

const ICONS = { edit: EditRegular, delete: DeleteRegular, more: MoreVerticalRegular };
const icon = (name) => createElement(ICONS[name]);
const other = page.theme === 'other';
// A theme of another team: dark, small, filled fields, large subtle tabs, another prefix of the ids and hashes of the classes.
const size = other ? 'small' : 'medium';
const field = other ? 'filled-darker' : 'outline';
const button = other ? 'subtle' : 'secondary';
const renderer = createDOMRenderer(document, other ? { classNameHashSalt: 'acme' } : {});

const useStyles = makeStyles({
  root: { minHeight: '100vh' },
  bar: { display: 'flex', columnGap: '24px', alignItems: 'center', ...shorthands.padding('12px', '24px'), backgroundColor: tokens.colorNeutralBackground3 },
  main: { display: 'flex', flexDirection: 'column', rowGap: '20px', maxWidth: '860px', ...shorthands.margin('0', 'auto'), ...shorthands.padding('24px') },
  group: { display: 'flex', flexDirection: 'column', alignItems: 'flex-start', rowGap: other ? '2px' : '8px', ...shorthands.margin('8px', '0') },
  list: { listStyleType: 'none', ...shorthands.padding('0') },
  item: { display: 'flex', columnGap: '12px', alignItems: 'center', ...shorthands.padding(other ? '2px' : '8px', '0') },
  text: { flexGrow: 1, display: 'flex', flexDirection: 'column' },
  row: { display: 'flex', columnGap: '8px', alignItems: 'center' },
});

function Tick({ control }) {
  const [on, setOn] = useValue(control.key, control.on);
  const { id, name } = control.attrs;
  const Box = control.kind === 'switch' ? Switch : Checkbox;
  const dense = other && control.kind === 'checkbox' ? { shape: 'circular' } : {};
  return <Box id={id} name={name} label={control.label} checked={on} onChange={(_, data) => setOn(Boolean(data.checked))} {...dense} />;
}

function Radios({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  return (
    <Field label={control.label}>
      <RadioGroup name={control.attrs.name} value={value} layout={other ? 'horizontal' : 'vertical'} onChange={(_, data) => setValue(data.value)}>
        {control.options.map((option) => <Radio key={option.key} value={option.key} label={option.label} />)}
      </RadioGroup>
    </Field>
  );
}

function Choice({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  const label = useId();
  const text = control.options.find((option) => option.key === value)?.label ?? '';
  return (
    <>
      <label id={label}>{control.label}</label>{' '}
      <Dropdown
        id={control.attrs.id} aria-labelledby={label} appearance={field} size={size}
        value={text} selectedOptions={[value]} onOptionSelect={(_, data) => setValue(data.optionValue)}
      >
        {control.options.map((option) => <Option key={option.key} value={option.key}>{option.label}</Option>)}
      </Dropdown>
    </>
  );
}

function Actions({ control }) {
  const opener = control.icon
    ? <Button appearance="subtle" size={size} icon={icon(control.icon)} aria-label={control.label} />
    : <MenuButton appearance={button} size={size}>{control.label}</MenuButton>;
  return (
    <Menu>
      <MenuTrigger disableButtonEnhancement>{opener}</MenuTrigger>
      <MenuPopover>
        <MenuList>
          {control.options.map((option) => <MenuItem key={option.key} onClick={() => tell(control.key, option.key)}>{option.label}</MenuItem>)}
        </MenuList>
      </MenuPopover>
    </Menu>
  );
}

function Question({ control }) {
  const [title, text, yes, no] = control.ask;
  return (
    <Dialog>
      <DialogTrigger disableButtonEnhancement>
        <Button appearance={button} size={size} data-testid={control.attrs['data-testid']}>{control.label}</Button>
      </DialogTrigger>
      <DialogSurface>
        <DialogBody>
          <DialogTitle>{title}</DialogTitle>
          <DialogContent>{text}</DialogContent>
          <DialogActions>
            <DialogTrigger disableButtonEnhancement><Button onClick={() => tell(control.key, 'no')}>{no}</Button></DialogTrigger>
            <DialogTrigger disableButtonEnhancement><Button appearance="primary" onClick={() => tell(control.key, 'yes')}>{yes}</Button></DialogTrigger>
          </DialogActions>
        </DialogBody>
      </DialogSurface>
    </Dialog>
  );
}

function Press({ control, done }) {
  const press = () => { tell(control.key, 'pressed'); if (control.removes) done(); };
  const test = { 'data-testid': control.attrs['data-testid'] };
  if (control.kind === 'icon') return <Button appearance="subtle" size={size} icon={icon(control.icon)} aria-label={control.label} onClick={press} {...test} />;
  return <Button appearance={button} size={size} onClick={press} {...test}>{control.label}</Button>;
}

const KINDS = {
  checkbox: Tick, switch: Tick, radio: Radios, select: Choice, menu: Actions, dialog: Question, button: Press, icon: Press,
};
const Control = ({ control, done }) => <Spot k={control.key}>{createElement(KINDS[control.kind], { control, done })}</Spot>;

function Rows({ rows: { looks, head, rows } }) {
  const styles = useStyles();
  const [left, remove] = useRows(rows);
  const controls = (row) => row.controls.map((control) => <Control key={control.key} control={control} done={() => remove(row.key)} />);
  if (looks === 'table') {
    return (
      <Table size={other ? 'extra-small' : 'medium'}>
        <TableHeader><TableRow>{head.map((text) => <TableHeaderCell key={text}>{text}</TableHeaderCell>)}</TableRow></TableHeader>
        <TableBody>
          {left.map((row) => (
            <TableRow key={row.key}>
              <TableCell>{row.title}</TableCell>
              <TableCell>{row.note}</TableCell>
              <TableCell><div className={styles.row}>{controls(row)}</div></TableCell>
            </TableRow>
          ))}
        </TableBody>
      </Table>
    );
  }
  if (looks === 'cards') {
    return (
      <div className={styles.row}>
        {left.map((row) => (
          <Card key={row.key} appearance={other ? 'filled-alternative' : 'filled'}>
            <CardHeader header={<Text weight="semibold">{row.title}</Text>} description={<Text>{row.note}</Text>} />
            <CardFooter>{controls(row)}</CardFooter>
          </Card>
        ))}
      </div>
    );
  }
  return (
    <ul className={styles.list}>
      {left.map((row) => (
        <li key={row.key} className={styles.item}>
          {(row.controls.length > 1 || row.controls[0].label !== row.title)
            && <div className={styles.text}><Text weight="semibold">{row.title}</Text><Text size={200}>{row.note}</Text></div>}
          {controls(row)}
        </li>
      ))}
    </ul>
  );
}

function Body({ section }) {
  const styles = useStyles();
  const [texts, write, save] = useTexts(section);
  return (
    <>
      {section.note && <Text as="p" block>{section.note}</Text>}
      {section.groups.map((group) => (
        <div key={group.key} className={styles.group}>
          {group.title && <Subtitle2 as="h3">{group.title}</Subtitle2>}
          {group.controls.map((control) => (control.kind === 'text'
            ? (
              <Spot k={control.key} key={control.key}>
                <Field label={control.label} size={size}>
                  <Input
                    id={control.attrs.id} name={control.attrs.name} appearance={field}
                    value={texts[control.key]} onChange={(_, data) => write(control.key, data.value)}
                  />
                </Field>
              </Spot>
            )
            : <Control key={control.key} control={control} />))}
        </div>
      ))}
      {section.rows && <Rows rows={section.rows} />}
      {section.save && <Spot k={`${section.key}/save`}><Button appearance="primary" size={size} onClick={save}>{section.save}</Button></Spot>}
    </>
  );
}

function Unfolding({ sections }) {
  const [open, setOpen] = useState([]);
  const toggle = (_, { value, openItems }) => { setOpen(openItems); tell(`view:${value}`, openItems.includes(value)); };
  return (
    <Accordion collapsible multiple openItems={open} onToggle={toggle}>
      {sections.map((section) => (
        <AccordionItem key={section.key} value={section.key}>
          <Spot k={`view:${section.key}`}>
            <AccordionHeader as="h2" expandIconPosition={other ? 'end' : 'start'}>{section.title}</AccordionHeader>
          </Spot>
          <AccordionPanel><Body section={section} /></AccordionPanel>
        </AccordionItem>
      ))}
    </Accordion>
  );
}

function Tabbed({ sections }) {
  const [open, setOpen] = useState(sections[0].key);
  const show = (_, { value }) => { setOpen(value); tell(`view:${value}`, true); };
  return (
    <div>
      <TabList selectedValue={open} onTabSelect={show} appearance={other ? 'subtle' : 'transparent'} size={other ? 'large' : 'medium'}>
        {sections.map((section) => <Tab key={section.key} value={section.key}>{section.title}</Tab>)}
      </TabList>
      <Body key={open} section={sections.find((section) => section.key === open)} />
    </div>
  );
}

function App() {
  const styles = useStyles();
  const tabs = page.sections.filter((section) => section.looks === 'tab');
  const unfolding = page.sections.filter((section) => section.looks === 'accordion');
  return (
    <div className={styles.root}>
      <nav className={styles.bar}>
        <Title3>{page.site}</Title3>
        {page.nav.map((link) => <Link key={link.href} href={link.href} aria-current={link.current ? 'page' : undefined}>{link.title}</Link>)}
      </nav>
      <main className={styles.main}>
        <Title1 as="h1">{page.title}</Title1>
        {tabs.length > 0 && <Tabbed sections={tabs} />}
        {page.sections.filter((section) => section.looks === 'plain').map((section) => (
          <section key={section.key}>
            <Title3 as="h2">{section.title}</Title3>
            <Body section={section} />
          </section>
        ))}
        {unfolding.length > 0 && <Unfolding sections={unfolding} />}
      </main>
    </div>
  );
}

createRoot(document.getElementById('root')).render(
  <RendererProvider renderer={renderer}>
    <IdPrefixProvider value={other ? 'acme-' : ''}>
      <FluentProvider theme={other ? teamsDarkTheme : webLightTheme}><App /></FluentProvider>
    </IdPrefixProvider>
  </RendererProvider>,
);
