import { useQuery } from '@tanstack/react-query';
import { serviceQuery } from '../../api/services.ts';
import { formatNumber } from '../../text/format.ts';

interface Props {
  readonly service: string;
  readonly score: number;
}

/** A confidence with the highest of its feed, because each feed has a scale of its own. */
export function Confidence({ service, score }: Props) {
  const { data } = useQuery(serviceQuery(service));
  const scale = data === undefined ? '' : ` of ${formatNumber(data.confidenceScale)}`;
  return `${formatNumber(score)}${scale}`;
}
