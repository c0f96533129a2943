import { definePlugin } from '@tapline/plugin-sdk';
import { bindCalendars } from './bindings.ts';
import { calendarResource } from './resources/calendar.ts';
import { createReadSpans } from './spans.ts';
import { judgeCalendars } from './taps/judge-calendars.ts';

/** Windows of time in which launches are allowed, or denied, for organizations, inventories and templates. */
export default definePlugin({
  id: 'calendars',
  title: 'Shared calendars',
  version: '1.0.0',
  description: 'When launches are allowed, or denied: for schedules, events and people alike.',
  sdk: '^1.0.0',
  mandatory: true,
  migrations: new URL('./migrations/', import.meta.url),

  register(api) {
    const readSpans = createReadSpans(api);

    api.resource(calendarResource(api));
    bindCalendars(api);
    judgeCalendars(api, readSpans);

    const module = (file: string) => new URL(`./pages/${file}`, import.meta.url);
    const panel = { on: 'calendar', module: module('panels.js') };
    api.page({
      path: '/calendars',
      title: 'Calendars',
      module: module('calendars.js'),
      nav: { section: 'Resources', order: 250 },
      panels: [
        { ...panel, title: 'The next days', export: 'NextDays', order: 10 },
        { ...panel, title: 'Windows', export: 'Windows', order: 20 },
      ],
    });
  },
});
