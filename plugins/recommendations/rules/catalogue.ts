import type { Rule } from '../rule.ts';
import { accessRules } from './access.ts';
import { automationRules } from './automation.ts';
import { complianceRules } from './compliance.ts';
import { dashboardRules } from './dashboard.ts';
import { selfServiceRules } from './self-service.ts';
import { tenancyRules } from './tenancy.ts';

const { default_admin_password, no_observability } = dashboardRules;
const { no_scanners, all_policies_warn, no_drift } = complianceRules;
const { multi_org_no_tenancy, tenant_near_quota } = tenancyRules;
const { stale_project, no_schedules } = automationRules;
const { few_surveys, no_catalog_items } = selfServiceRules;

/** The specification's catalogue, in its order: the order in which rules of one severity are told. */
export const catalogue: readonly Rule[] = [
  default_admin_password,
  no_scanners,
  multi_org_no_tenancy,
  tenant_near_quota,
  all_policies_warn,
  no_observability,
  stale_project,
  no_schedules,
  no_drift,
  few_surveys,
  no_catalog_items,
  accessRules.only_default_team,
];
