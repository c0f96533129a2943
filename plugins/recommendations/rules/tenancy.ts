import type { QuotaUsage } from '../inputs.ts';
import type { Rule } from '../rule.ts';

/** Percent of a quota above which a tenant is told to be near it. */
const nearPercent = 80;

const sentence = ({ name, percent, quota_kind }: QuotaUsage) =>
  `Tenant ${name} uses ${Math.round(percent)}% of its ${quota_kind.replaceAll('_', ' ')} quota. Launches are refused once it is used up.`;

export const tenancyRules = {
  multi_org_no_tenancy: {
    id: 'multi_org_no_tenancy',
    scope: 'tenancy',
    severity: 'warn',
    title: 'Multiple organizations without tenancy',
    action_link: '/wizards/tenancy',
    evaluate: ({ organizations, tenancy_enabled }) =>
      organizations > 1 && !tenancy_enabled
        ? { why: 'Several organizations share this service without quotas. Tenancy gives each its own limits.' }
        : undefined,
  },
  tenant_near_quota: {
    id: 'tenant_near_quota',
    scope: 'tenancy',
    severity: 'warn',
    title: 'Tenant near concurrent-job quota',
    action_link: '/tenants',
    evaluate: ({ tenants }) => {
      const near = tenants.filter(({ percent }) => percent > nearPercent).toSorted((a, b) => b.percent - a.percent);
      const [worst] = near;
      if (!worst) return undefined;
      return {
        why: `A tenant uses ${Math.round(worst.percent)}% of one of its quotas. Launches are refused once it is used up.`,
        named: near.map((usage) => ({ type: 'organization', id: usage.organization, why: sentence(usage) })),
      };
    },
  },
} satisfies Record<string, Rule>;
