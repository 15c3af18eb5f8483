/* The settings pages with MUI, as its documentation uses the components. */
import { createElement, useId, useState } from 'react';
import { createRoot } from 'react-dom/client';
import {
  Accordion, AccordionDetails, AccordionSummary, AppBar, Box, Button, Card, CardActions, CardContent, CardHeader, Checkbox,
  Container, CssBaseline, Dialog, DialogActions, DialogContent, DialogContentText, DialogTitle, FormControl, FormControlLabel,
  FormGroup, FormLabel, IconButton, InputLabel, Link, List, ListItem, ListItemButton, ListItemIcon, ListItemText, Menu,
  MenuItem, Paper, Radio, RadioGroup, Select, Stack, Switch, Tab, Table, TableBody, TableCell, TableContainer, TableHead,
  TableRow, Tabs, TextField, ThemeProvider, Toolbar, Typography, createTheme,
} from '@mui/material';
import { unstable_ClassNameGenerator as ClassNameGenerator } from '@mui/material/className';
import Delete from '@mui/icons-material/Delete';
import Edit from '@mui/icons-material/Edit';
import ExpandMore from '@mui/icons-material/ExpandMore';
import MoreVert from '@mui/icons-material/MoreVert';
import { Spot, page, tell, useRows, useTexts, useValue } from '../../common/react.jsx';

const ICONS = { edit: Edit, delete: Delete, more: MoreVert };
const other = page.theme === 'other';
// A theme of another team: dark, small and dense, filled fields, another prefix of the classes.
if (other) ClassNameGenerator.configure((name) => name.replace('Mui', 'Acme'));
const theme = createTheme(other ? {
  palette: { mode: 'dark', primary: { main: '#80cbc4' } },
  spacing: 4,
  shape: { borderRadius: 0 },
  typography: { fontSize: 12, button: { textTransform: 'none' } },
  components: {
    MuiButton: { defaultProps: { size: 'small', variant: 'contained', disableElevation: true } },
    MuiTextField: { defaultProps: { size: 'small', variant: 'filled', fullWidth: true } },
    MuiSelect: { defaultProps: { size: 'small', variant: 'filled' } },
    MuiFormControl: { defaultProps: { size: 'small', variant: 'filled' } },
    MuiSwitch: { defaultProps: { size: 'small', color: 'secondary' } },
    MuiCheckbox: { defaultProps: { size: 'small', color: 'secondary' } },
    MuiRadio: { defaultProps: { size: 'small' } },
    MuiIconButton: { defaultProps: { size: 'small', edge: 'end' } },
    MuiList: { defaultProps: { dense: true } },
    MuiTable: { defaultProps: { size: 'small' } },
    MuiTabs: { defaultProps: { variant: 'fullWidth' } },
    MuiButtonBase: { defaultProps: { disableRipple: true } },
  },
} : {});

const icon = (name) => createElement(ICONS[name]);

function Tick({ control }) {
  const [on, setOn] = useValue(control.key, control.on);
  const Box_ = control.kind === 'switch' ? Switch : Checkbox;
  const { id, name } = control.attrs;
  const box = <Box_ id={id} name={name} checked={on} onChange={(event) => setOn(event.target.checked)} />;
  return <FormControlLabel control={box} label={control.label} />;
}

function Radios({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  const id = useId();
  return (
    <FormControl>
      <FormLabel id={id}>{control.label}</FormLabel>
      <RadioGroup aria-labelledby={id} name={control.attrs.name} value={value} onChange={(event) => setValue(event.target.value)}>
        {control.options.map((option) => (
          <FormControlLabel key={option.key} value={option.key} control={<Radio />} label={option.label} />
        ))}
      </RadioGroup>
    </FormControl>
  );
}

function Choice({ control }) {
  const [value, setValue] = useValue(control.key, control.value);
  const own = useId();
  const label = `${control.attrs.id ?? own}-label`;
  return (
    <FormControl sx={{ minWidth: 240, mt: 1 }}>
      <InputLabel id={label}>{control.label}</InputLabel>
      <Select labelId={label} id={control.attrs.id} label={control.label} value={value} onChange={(event) => setValue(event.target.value)}>
        {control.options.map((option) => <MenuItem key={option.key} value={option.key}>{option.label}</MenuItem>)}
      </Select>
    </FormControl>
  );
}

function Actions({ control }) {
  const [anchor, setAnchor] = useState(null);
  const opener = control.icon
    ? <IconButton aria-label={control.label} aria-haspopup="true" onClick={(event) => setAnchor(event.currentTarget)}>{icon(control.icon)}</IconButton>
    : <Button aria-haspopup="true" onClick={(event) => setAnchor(event.currentTarget)}>{control.label}</Button>;
  return (
    <>
      {opener}
      <Menu anchorEl={anchor} open={Boolean(anchor)} onClose={() => setAnchor(null)}>
        {control.options.map((option) => (
          <MenuItem key={option.key} onClick={() => { setAnchor(null); tell(control.key, option.key); }}>{option.label}</MenuItem>
        ))}
      </Menu>
    </>
  );
}

function Question({ control }) {
  const [open, setOpen] = useState(false);
  const [title, text, yes, no] = control.ask;
  const end = (answer) => { setOpen(false); tell(control.key, answer); };
  return (
    <>
      <Button variant="outlined" color="error" data-testid={control.attrs['data-testid']} onClick={() => setOpen(true)}>{control.label}</Button>
      <Dialog open={open} onClose={() => end('closed')}>
        <DialogTitle>{title}</DialogTitle>
        <DialogContent><DialogContentText>{text}</DialogContentText></DialogContent>
        <DialogActions>
          <Button onClick={() => end('no')}>{no}</Button>
          <Button onClick={() => end('yes')} autoFocus>{yes}</Button>
        </DialogActions>
      </Dialog>
    </>
  );
}

function Press({ control, done }) {
  const press = () => { tell(control.key, 'pressed'); if (control.removes) done(); };
  const test = { 'data-testid': control.attrs['data-testid'] };
  if (control.kind === 'icon') return <IconButton aria-label={control.label} onClick={press} {...test}>{icon(control.icon)}</IconButton>;
  return <Button variant="outlined" onClick={press} {...test}>{control.label}</Button>;
}

const KINDS = {
  checkbox: Tick, switch: Tick, radio: Radios, select: Choice, menu: Actions, dialog: Question, button: Press, icon: Press,
};
const Control = ({ control, done }) => <Spot k={control.key}>{createElement(KINDS[control.kind], { control, done })}</Spot>;

function Topic({ control }) {
  const [on, setOn] = useValue(control.key, control.on);
  const id = useId();
  return (
    <Spot k={control.key} as="li">
      <ListItemButton role={undefined} dense onClick={() => setOn(!on)}>
        <ListItemIcon><Checkbox edge="start" checked={on} tabIndex={-1} disableRipple slotProps={{ input: { 'aria-labelledby': id } }} /></ListItemIcon>
        <ListItemText id={id} primary={control.label} />
      </ListItemButton>
    </Spot>
  );
}

function Rows({ rows: { looks, head, rows } }) {
  const [left, remove] = useRows(rows);
  const controls = (row) => row.controls.map((control) => <Control key={control.key} control={control} done={() => remove(row.key)} />);
  if (looks === 'table') {
    return (
      <TableContainer component={Paper}>
        <Table>
          <TableHead><TableRow>{head.map((text) => <TableCell key={text}>{text}</TableCell>)}</TableRow></TableHead>
          <TableBody>
            {left.map((row) => (
              <TableRow key={row.key}>
                <TableCell component="th" scope="row">{row.title}</TableCell>
                <TableCell>{row.note}</TableCell>
                <TableCell>{controls(row)}</TableCell>
              </TableRow>
            ))}
          </TableBody>
        </Table>
      </TableContainer>
    );
  }
  if (looks === 'cards') {
    return (
      <Stack direction="row" spacing={2}>
        {left.map((row) => (
          <Card key={row.key} variant="outlined">
            <CardHeader title={row.title} />
            <CardContent>{row.note}</CardContent>
            <CardActions>{controls(row)}</CardActions>
          </Card>
        ))}
      </Stack>
    );
  }
  return (
    <List>
      {left.map((row) => (row.controls.length === 1 && row.controls[0].label === row.title
        ? <Topic key={row.key} control={row.controls[0]} />
        : (
          <ListItem key={row.key} secondaryAction={<Stack direction="row">{controls(row)}</Stack>}>
            <ListItemText primary={row.title} secondary={row.note} />
          </ListItem>
        )))}
    </List>
  );
}

function Body({ section }) {
  const [texts, write, save] = useTexts(section);
  return (
    <>
      {section.note && <Typography color="text.secondary">{section.note}</Typography>}
      {section.groups.map((group) => (
        <FormGroup key={group.key} sx={{ my: 1 }}>
          {group.title && <Typography variant="subtitle1" component="h3">{group.title}</Typography>}
          {group.controls.map((control) => (control.kind === 'text'
            ? (
              <Spot k={control.key} key={control.key}>
                <TextField
                  margin="dense" label={control.label} id={control.attrs.id} name={control.attrs.name}
                  value={texts[control.key]} onChange={(event) => write(control.key, event.target.value)}
                />
              </Spot>
            )
            : <Control key={control.key} control={control} />))}
        </FormGroup>
      ))}
      {section.rows && <Rows rows={section.rows} />}
      {section.save && <Spot k={`${section.key}/save`}><Button variant="contained" onClick={save}>{section.save}</Button></Spot>}
    </>
  );
}

function Unfolding({ section }) {
  return (
    <Accordion onChange={(_, open) => tell(`view:${section.key}`, open)}>
      <Spot k={`view:${section.key}`}>
        <AccordionSummary expandIcon={<ExpandMore />}><Typography component="h2">{section.title}</Typography></AccordionSummary>
      </Spot>
      <AccordionDetails><Body section={section} /></AccordionDetails>
    </Accordion>
  );
}

function Tabbed({ sections }) {
  const [open, setOpen] = useState(sections[0].key);
  const show = (_, key) => { setOpen(key); tell(`view:${key}`, true); };
  return (
    <Paper sx={{ p: 2 }}>
      <Tabs value={open} onChange={show}>
        {sections.map((section, index) => <Tab key={section.key} value={section.key} label={section.title} id={`simple-tab-${index}`} aria-controls={`simple-tabpanel-${index}`} />)}
      </Tabs>
      {sections.map((section, index) => (
        <Box key={section.key} role="tabpanel" id={`simple-tabpanel-${index}`} aria-labelledby={`simple-tab-${index}`} hidden={section.key !== open} sx={{ pt: 2 }}>
          {section.key === open && <Body section={section} />}
        </Box>
      ))}
    </Paper>
  );
}

function App() {
  const tabs = page.sections.filter((section) => section.looks === 'tab');
  return (
    <ThemeProvider theme={theme}>
      <CssBaseline />
      <AppBar position="static">
        <Toolbar sx={{ gap: 3 }}>
          <Typography variant="h6">{page.site}</Typography>
          {page.nav.map((link) => <Link key={link.href} href={link.href} color="inherit" aria-current={link.current ? 'page' : undefined}>{link.title}</Link>)}
        </Toolbar>
      </AppBar>
      <Container maxWidth="md" sx={{ py: 3 }}>
        <Typography variant="h4" component="h1">{page.title}</Typography>
        <Stack spacing={3} sx={{ mt: 2 }}>
          {tabs.length > 0 && <Tabbed sections={tabs} />}
          {page.sections.filter((section) => section.looks !== 'tab').map((section) => (section.looks === 'accordion'
            ? <Unfolding key={section.key} section={section} />
            : (
              <Paper key={section.key} sx={{ p: 2 }}>
                <Typography variant="h6" component="h2">{section.title}</Typography>
                <Body section={section} />
              </Paper>
            )))}
        </Stack>
      </Container>
    </ThemeProvider>
  );
}

createRoot(document.getElementById('root')).render(<App />);
