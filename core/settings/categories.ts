/** Slug → name. Those of other ways to log in are known to clients whether or not anything is defined in them. */
export const settingCategories = {
  system: 'System',
  jobs: 'Jobs',
  authentication: 'Authentication',
  ui: 'UI',
  logging: 'Logging',
  bulk: 'Bulk actions',
  debug: 'Debug',
  'named-url': 'Named URLs',
  security: 'Security',
  ldap: 'LDAP',
  radius: 'RADIUS',
  tacacsplus: 'TACACS+',
  saml: 'SAML',
  oidc: 'OpenID Connect',
  github: 'GitHub OAuth2',
  'github-org': 'GitHub organization OAuth2',
  'github-team': 'GitHub team OAuth2',
  'github-enterprise': 'GitHub Enterprise OAuth2',
  'github-enterprise-org': 'GitHub Enterprise organization OAuth2',
  'github-enterprise-team': 'GitHub Enterprise team OAuth2',
  'google-oauth2': 'Google OAuth2',
  'azuread-oauth2': 'Azure AD OAuth2',
  'azuread-oauth2-tenant': 'Azure AD tenant OAuth2',
} as const;

/** A plugin's own page is named by its slug: `drift-detection` → `Drift detection`. */
export const categoryName = (slug: string): string =>
  Object.hasOwn(settingCategories, slug)
    ? settingCategories[slug as keyof typeof settingCategories]
    : (slug.charAt(0).toUpperCase() + slug.slice(1)).replaceAll('-', ' ');

/** Not categories of their own: everything, and what is stored in the database. */
export const settingViews = { all: 'All', changed: 'Changed' } as const;
