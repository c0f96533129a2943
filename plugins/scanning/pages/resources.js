import { historyTab, listTab, When, t } from '@tapline/console-kit';
import { h } from 'preact';
import { AppliesTo } from './applies-to.js';
import { ConfigField } from './config-field.js';
import { Findings } from './findings.js';
import { Switch } from './switch.js';

export const scanResult = {
  path: 'scan_results',
  type: 'scan_result',
  one: t`scan result`,
  many: t`scan results`,
  intro: t`What scanners found in what launches would run, newest first.`,
  nameField: 'scanner_name',
  order: '-id',
  columns: [
    {
      label: t`Scanner`,
      sort: 'scanner_name',
      cell: ({ id, scanner_name: name }) => h('a', { href: `/scan_results/${id}?tab=findings` }, name),
    },
    'status',
    'highest_severity',
    'finding_count',
    'accepted_count',
    'unified_job_template',
    'message',
    { label: t`When`, sort: 'created', cell: ({ created }) => h(When, { at: created }) },
  ],
  filters: ['status', 'scanner', 'tool', 'highest_severity', 'project', 'unified_job_template', 'created'],
  relations: { scanner: 'scanners/' },
  facts: ['status', 'message', 'scanner', 'tool', 'project', 'revision', 'unified_job', 'unified_job_template'],
  elsewhere: ['findings', 'excerpts'],
  readOnly: true,
  parent: () => '/scan_results',
  tabs: [{ id: 'findings', label: t`Findings`, content: Findings }],
};

export const acceptedFinding = {
  path: 'accepted_findings',
  type: 'accepted_finding',
  one: t`accepted finding`,
  many: t`accepted findings`,
  intro: t`What scanners find and what does not count, and why. One that is deleted counts again.`,
  nameField: 'rule_id',
  order: '-id',
  columns: ['rule_id', 'file_path', 'message', 'times', 'scanner', 'project', 'reason', 'created_by', 'created'],
  filters: ['rule_id', 'file_path', 'scanner', 'project', 'created_by', 'created'],
  relations: { scanner: 'scanners/' },
};

export const scanner = {
  path: 'scanners',
  type: 'scanner',
  one: t`scanner`,
  many: t`scanners`,
  intro: t`Tools that look at playbooks and requirements before a launch starts.`,
  columns: [
    'name',
    'tool',
    'organization',
    'severity_threshold',
    'enforcement',
    'enabled',
    'last_run_status',
    'last_run_at',
    'trigger_count',
  ],
  filters: ['name', 'tool', 'organization', 'enforcement', 'enabled', 'last_run_status'],
  fields: [
    'name',
    'description',
    'tool',
    'organization',
    'severity_threshold',
    'enforcement',
    'enabled',
    'applies_to',
    'config',
  ],
  facts: ['last_run_status', 'last_run_at'],
  custom: { config: ConfigField, applies_to: AppliesTo },
  actions: Switch,
  tabs: [
    listTab({ id: 'results', label: t`Results`, resource: 'scan_results' }),
    listTab({ id: 'accepted_findings', label: t`Accepted`, resource: 'accepted_findings' }),
    historyTab,
  ],
};
