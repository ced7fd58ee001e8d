import { Empty } from '../../components/states.tsx';

export function Webhooks({ service }: { readonly service: string }) {
  return <Empty title={`Webhooks of ${service}`} />;
}
