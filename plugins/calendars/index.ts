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

    api.page({
      path: '/calendars',
      title: 'Calendars',
      module: new URL('./pages/calendars.js', import.meta.url),
      nav: { section: 'Resources', order: 250 },
    });
  },
});
