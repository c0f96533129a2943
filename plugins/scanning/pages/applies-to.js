import { ChoicesField, t } from '@tapline/console-kit';
import { h } from 'preact';

const choices = [
  { value: 'job_template', label: t`Job templates` },
  { value: 'workflow_job_template', label: t`Workflows` },
  { value: 'ad_hoc_command', label: t`Commands` },
];

export const AppliesTo = ({ value, onValue, errors }) =>
  h(ChoicesField, {
    label: t`Applies to`,
    name: 'applies_to',
    hint: t`None means all.`,
    choices,
    values: value,
    onValues: onValue,
    errors: errors['applies_to'] ?? [],
  });
