import { place, t, TextField } from '@tapline/console-kit';
import { h } from 'preact';
import { useLayoutEffect } from 'preact/hooks';

/** Whose clocks count; for a new calendar first those of whoever makes it. */
export function Zone({ value, onValue, errors }) {
  useLayoutEffect(() => {
    if (place.value.path === '/calendars/new') onValue(Intl.DateTimeFormat().resolvedOptions().timeZone);
  }, []);
  return h(TextField, {
    label: t`Timezone`,
    name: 'timezone',
    required: true,
    hint: t`Whose clocks count, such as Europe/Zurich.`,
    errors: errors['timezone'],
    value,
    onValue,
  });
}
