import { noEffect, type SettingDefinition } from '../definition.ts';

export const oidcSettings = {
  SOCIAL_AUTH_OIDC_KEY: { category: 'oidc', type: 'string', default: '', help: noEffect },
  SOCIAL_AUTH_OIDC_SECRET: { category: 'oidc', type: 'string', secret: true, default: '', help: noEffect },
  SOCIAL_AUTH_OIDC_OIDC_ENDPOINT: { category: 'oidc', type: 'string', default: '', help: noEffect },
  SOCIAL_AUTH_OIDC_VERIFY_SSL: { category: 'oidc', type: 'boolean', default: true, help: noEffect },
} as const satisfies Record<string, SettingDefinition>;
