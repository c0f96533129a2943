import { PageLayout } from '../../components/page.tsx';
import { RecommendationCards } from './recommendation-cards.tsx';

export const RecommendationsPage = () => (
  <PageLayout title="Recommendations" intro="What this installation would be better for, most severe first.">
    <RecommendationCards />
  </PageLayout>
);
