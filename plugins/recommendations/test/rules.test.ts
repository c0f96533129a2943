import { expect } from 'chai';
import type { Inputs } from '../inputs.ts';
import { catalogue } from '../rules/catalogue.ts';

const now = new Date('2026-03-15T12:00:00Z');

/** An installation that nothing is recommended to. */
const settled: Inputs = {
  enabled_scanners: 1,
  policies: 1,
  enforced_policies: 1,
  organizations: 1,
  tenancy_enabled: false,
  otel_enabled: true,
  job_templates: 4,
  job_templates_with_survey: 4,
  schedules: 1,
  catalog_items: 1,
  drift_detections: 1,
  projects: [],
  tenants: [],
  teams: 2,
  first_team: true,
  default_admin_password: false,
  now,
};

const before = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
const day = 86_400_000;
const project = (id: number, last_synced: string | null) => ({ id, name: `project ${id}`, last_synced });
const tenant = (percent: number) => ({ organization: 1, name: 'Acme', quota_kind: 'hosts', percent });

/** Per rule: what is changed of the settled installation → does it trigger? At, below and above every threshold. */
const table: Record<string, [given: string, change: Partial<Inputs>, triggers: boolean][]> = {
  default_admin_password: [
    ['the initial password in use', { default_admin_password: true }, true],
    ['a password of its own', { default_admin_password: false }, false],
  ],
  no_scanners: [
    ['no scanner, no template', { enabled_scanners: 0, job_templates: 0 }, false],
    ['no scanner, one template', { enabled_scanners: 0, job_templates: 1, job_templates_with_survey: 1 }, true],
    ['no scanner, two templates', { enabled_scanners: 0, job_templates: 2, job_templates_with_survey: 2 }, true],
    ['one scanner', { enabled_scanners: 1 }, false],
    ['two scanners', { enabled_scanners: 2 }, false],
  ],
  multi_org_no_tenancy: [
    ['no organization', { organizations: 0 }, false],
    ['one organization', { organizations: 1 }, false],
    ['two organizations', { organizations: 2 }, true],
    ['three organizations', { organizations: 3 }, true],
    ['two organizations with tenancy', { organizations: 2, tenancy_enabled: true }, false],
  ],
  tenant_near_quota: [
    ['no tenant', { tenants: [] }, false],
    ['79.9 %', { tenants: [tenant(79.9)] }, false],
    ['exactly 80 %', { tenants: [tenant(80)] }, false],
    ['80.1 %', { tenants: [tenant(80.1)] }, true],
    ['over the quota', { tenants: [tenant(120)] }, true],
    ['one of two', { tenants: [tenant(10), tenant(81)] }, true],
  ],
  all_policies_warn: [
    ['no policy', { policies: 0, enforced_policies: 0 }, false],
    ['one, not enforced', { policies: 1, enforced_policies: 0 }, true],
    ['two, none enforced', { policies: 2, enforced_policies: 0 }, true],
    ['two, one enforced', { policies: 2, enforced_policies: 1 }, false],
  ],
  no_observability: [
    ['off', { otel_enabled: false }, true],
    ['on', { otel_enabled: true }, false],
  ],
  stale_project: [
    ['no project', { projects: [] }, false],
    ['never synced', { projects: [project(1, null)] }, false],
    ['a millisecond less than 14 days', { projects: [project(1, before(14 * day - 1))] }, false],
    ['exactly 14 days', { projects: [project(1, before(14 * day))] }, true],
    ['a millisecond more', { projects: [project(1, before(14 * day + 1))] }, true],
    ['one of two', { projects: [project(1, before(day)), project(2, before(30 * day))] }, true],
    ['synced in the future', { projects: [project(1, before(-day))] }, false],
  ],
  no_schedules: [
    ['no template', { job_templates: 0, schedules: 0 }, false],
    ['templates, no schedule', { schedules: 0 }, true],
    ['templates, one schedule', { schedules: 1 }, false],
  ],
  no_drift: [
    ['no template', { job_templates: 0, drift_detections: 0 }, false],
    ['templates, no detection', { drift_detections: 0 }, true],
    ['templates, one detection', { drift_detections: 1 }, false],
  ],
  few_surveys: [
    ['no template', { job_templates: 0, job_templates_with_survey: 0 }, false],
    ['none of one', { job_templates: 1, job_templates_with_survey: 0 }, true],
    ['just under half', { job_templates: 101, job_templates_with_survey: 50 }, true],
    ['exactly half', { job_templates: 100, job_templates_with_survey: 50 }, false],
    ['just over half', { job_templates: 100, job_templates_with_survey: 51 }, false],
  ],
  no_catalog_items: [
    ['no template', { job_templates: 0, catalog_items: 0 }, false],
    ['templates, empty catalog', { catalog_items: 0 }, true],
    ['templates, one item', { catalog_items: 1 }, false],
  ],
  only_default_team: [
    ['no team', { teams: 0 }, false],
    ['the first team alone', { teams: 1 }, true],
    ['one team, another than the first', { teams: 1, first_team: false }, false],
    ['two teams', { teams: 2 }, false],
  ],
};

describe('the rules of the catalogue', () => {
  it('are the twelve of the specification, in its order, scopes, severities, titles and links', () => {
    expect(
      catalogue.map(({ id, scope, severity, title, action_link }) => [id, scope, severity, title, action_link]),
    ).to.deep.equal([
      ['default_admin_password', 'dashboard', 'critical', 'Default admin password in use', '/users'],
      ['no_scanners', 'compliance', 'warn', 'No IaC scanners configured', '/wizards/compliance'],
      ['multi_org_no_tenancy', 'tenancy', 'warn', 'Multiple organizations without tenancy', '/wizards/tenancy'],
      ['tenant_near_quota', 'tenancy', 'warn', 'Tenant near concurrent-job quota', '/tenants'],
      ['all_policies_warn', 'compliance', 'info', 'No policy is enforced', '/policies'],
      ['no_observability', 'dashboard', 'info', 'Observability is not enabled', '/wizards/observability'],
      ['stale_project', 'automation', 'info', 'Projects not synced recently', '/projects'],
      ['no_schedules', 'automation', 'info', 'No schedules configured', '/schedules'],
      ['no_drift', 'compliance', 'info', 'No drift data collected', '/drift'],
      ['few_surveys', 'self_service', 'info', 'Few templates use surveys', '/templates'],
      ['no_catalog_items', 'self_service', 'info', 'Self-service catalog is empty', '/catalog'],
      ['only_default_team', 'access', 'info', 'Only the default team exists', '/teams'],
    ]);
  });

  it('say nothing to a settled installation', async () => {
    for (const rule of catalogue) expect(await rule.evaluate(settled), rule.id).to.equal(undefined);
  });

  it('each have rows in the truth table', () => {
    expect(Object.keys(table)).to.have.members(catalogue.map(({ id }) => id));
  });

  for (const [id, rows] of Object.entries(table))
    for (const [given, change, triggers] of rows)
      it(`${id}: ${given} → ${triggers ? 'triggers' : 'nothing'}`, async () => {
        const finding = await catalogue.find((rule) => rule.id === id)!.evaluate({ ...settled, ...change });
        expect(finding !== undefined).to.equal(triggers);
        if (finding) expect(finding.why.split(/[.!?](?:\s|$)/).filter(Boolean).length, finding.why).to.be.within(1, 2);
      });

  it('name the tenant and its percentage, the fullest first, only to those who may see it', async () => {
    const rule = catalogue.find(({ id }) => id === 'tenant_near_quota')!;
    const finding = await rule.evaluate({
      ...settled,
      tenants: [tenant(85), { organization: 2, name: 'Globex', quota_kind: 'concurrent_jobs', percent: 97.6 }],
    });
    expect(finding?.named?.map(({ type, id, why }) => [type, id, why.split('.')[0]])).to.deep.equal([
      ['organization', 2, 'Tenant Globex uses 98% of its concurrent jobs quota'],
      ['organization', 1, 'Tenant Acme uses 85% of its hosts quota'],
    ]);
    expect(finding?.why).to.include('98%').and.not.include('Globex');
  });
});
