import { isPage, type Recommendation, shown, useQuery, t } from '@tapline/console-kit';

interface Found {
  count: number;
  results: Recommendation[];
}

const severities = { critical: t`Critical`, warn: t`Warning`, info: t`Hint` } as const;

export function RecommendationCards({ most = Infinity }: { most?: number }) {
  const query = useQuery<Found>('recommendations/');
  if (query.error.value?.status === 404)
    return <p class="empty">{t`The plugin with recommendations is not switched on.`}</p>;
  return shown(query, { what: t`list of recommendations`, loading: t`recommendations` }, ({ count, results }) => {
    if (count === 0) return <p class="empty">{t`Nothing to recommend: all is well.`}</p>;
    return (
      <>
        <ul class="cards">
          {results.slice(0, most).map((recommendation) => (
            <Card key={recommendation.id} {...recommendation} />
          ))}
        </ul>
        {count > most && (
          <p>
            <a href="/recommendations">{t`All ${count} recommendations`}</a>
          </p>
        )}
      </>
    );
  });
}

const Card = ({ severity, title, why, action_link }: Recommendation) => (
  <li class={`card ${severity}`}>
    <p class="severity">{severities[severity] ?? severity}</p>
    <h3>{title}</h3>
    <p>{why}</p>
    {isPage(action_link) ? (
      <a href={action_link}>
        {t`Go there`}
        <span class="visually-hidden">: {title}</span>
      </a>
    ) : (
      <p class="muted">{t`Its page comes with a plugin that is not on.`}</p>
    )}
  </li>
);
