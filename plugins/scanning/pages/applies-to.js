import { ChoicesField } from '@tapline/console-kit';
import { h } from 'preact';

const choices = [
  { value: 'job_template', label: 'Job templates' },
  { value: 'workflow_job_template', label: 'Workflows' },
  { value: 'ad_hoc_command', label: 'Commands' },
];

export const AppliesTo = ({ value, onValue, errors }) =>
  h(ChoicesField, {
    label: 'Applies to',
    name: 'applies_to',
    hint: 'None means all.',
    choices,
    values: value,
    onValues: onValue,
    errors: errors['applies_to'] ?? [],
  });
