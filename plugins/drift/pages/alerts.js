import { ListView, useOptions, t } from '@tapline/console-kit';
import { h } from 'preact';
import { Frame } from './frame.js';
import { alert } from './resources.js';

/** What fired, and whether anybody was told. */
export const AlertsPage = () =>
  h(
    Frame,
    { title: t`Alerts of drift`, intro: t`What fired about which host, and what became of its message.` },
    h(ListView, { resource: alert, options: useOptions('drift_alerts/') }),
  );
