import { t } from '@tapline/console-kit';
import { h } from 'preact';

/** Each condition with what it said. */
export const Judged = ({ results }) =>
  results.length
    ? h(
        'ul',
        null,
        results.map(({ expression, description, result, error }, index) =>
          h(
            'li',
            { key: index },
            h('code', null, expression),
            description && ` (${description})`,
            `: ${error || (result ? t`holds` : t`does not hold`)}`,
          ),
        ),
      )
    : h('p', null, t`There is no condition: every event matches.`);
