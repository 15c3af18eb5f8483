/* What the React applications share: a control's place, its value, and the text fields that a section saves. */
import { useCallback, useState } from 'react';

export const { page, place, tell } = globalThis.__foreign;

/** An element that holds one control. */
export function Spot({ k, as: Tag = 'div', children, ...rest }) {
  const ref = useCallback((el) => { place(k, el); }, [k]);
  return <Tag ref={ref} {...rest}>{children}</Tag>;
}

/** The value of a control, and a function that changes it and tells so. */
export function useValue(key, initial) {
  const [value, setValue] = useState(initial);
  return [value, (next) => { setValue(next); tell(key, next); }];
}

/** The texts of a section, and a function that saves those that were changed. */
export function useTexts(section) {
  const fields = section.groups.flatMap((group) => group.controls).filter((control) => control.kind === 'text');
  const [saved, setSaved] = useState(() => Object.fromEntries(fields.map((field) => [field.key, field.value])));
  const [texts, setTexts] = useState(saved);
  const save = () => {
    for (const { key } of fields) if (texts[key] !== saved[key]) tell(key, texts[key]);
    setSaved(texts);
  };
  return [texts, (key, text) => setTexts((now) => ({ ...now, [key]: text })), save];
}

/** The rows that were not removed, and a function that removes one. */
export function useRows(rows) {
  const [gone, setGone] = useState([]);
  return [rows.filter((row) => !gone.includes(row.key)), (key) => setGone((now) => [...now, key])];
}
