import { type SettingDefinition, withoutEffect } from '../definition.ts';

const elsewhere = withoutEffect('Logins elsewhere come with plugins, which bring settings of their own.');

export const oidcSettings = {
  SOCIAL_AUTH_OIDC_KEY: { category: 'oidc', type: 'string', default: '', help: elsewhere },
  SOCIAL_AUTH_OIDC_SECRET: { category: 'oidc', type: 'string', secret: true, default: '', help: elsewhere },
  SOCIAL_AUTH_OIDC_OIDC_ENDPOINT: { category: 'oidc', type: 'string', default: '', help: elsewhere },
  SOCIAL_AUTH_OIDC_VERIFY_SSL: { category: 'oidc', type: 'boolean', default: true, help: elsewhere },
} as const satisfies Record<string, SettingDefinition>;
