import { type CustomFieldProps, lazily, type Tab, type TabProps, t } from '@tapline/console-kit';

/** Fields of a rule bring words and dates with them, which only few pages need. */
export const LazyRuleField = lazily<CustomFieldProps>(t`the rule`, () =>
  import('./rule-field.tsx').then((file) => file.RuleField),
);

const Next = lazily<{ rule: string; zone: string }>(t`the next runs`, () =>
  import('./shown-rule.tsx').then((file) => file.ShownRule),
);

/** What a stored rule comes to. */
export const nextTab: Tab = {
  id: 'next',
  label: t`Next runs`,
  content: ({ row }: TabProps) => <Next rule={String(row['rrule'])} zone={String(row['timezone'])} />,
};
