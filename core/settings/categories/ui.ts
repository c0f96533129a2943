import { type SettingDefinition, withoutEffect } from '../definition.ts';

export const uiSettings = {
  CUSTOM_LOGIN_INFO: {
    category: 'ui',
    type: 'string',
    default: '',
    help: 'A text that web clients show at the login.',
  },
  CUSTOM_TITLE: {
    category: 'ui',
    type: 'string',
    default: '',
    help: 'The title that web clients show instead of their own.',
  },
  CUSTOM_LOGO: { category: 'ui', type: 'image', default: '', help: 'The picture that web clients show at the login.' },
  CUSTOM_HEADER_LOGO: {
    category: 'ui',
    type: 'image',
    default: '',
    help: 'The picture that web clients show at the top of their pages.',
  },
  PENDO_TRACKING_STATE: {
    category: 'ui',
    type: 'choice',
    choices: ['off', 'anonymous', 'detailed'],
    default: 'off',
    help: withoutEffect('No page tracks who uses it.'),
  },
  MAX_UI_JOB_EVENTS: {
    category: 'ui',
    type: 'integer',
    min: 100,
    default: 4000,
    help: 'Number of events that a web client loads at most.',
  },
  UI_LIVE_UPDATES_ENABLED: {
    category: 'ui',
    type: 'boolean',
    default: true,
    help: withoutEffect('It is for a web client to follow; the console always updates by itself.'),
  },
} as const satisfies Record<string, SettingDefinition>;
