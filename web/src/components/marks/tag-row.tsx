import type { ReactNode } from 'react';
import { visible } from '../../text/visible.ts';
import { fittingTags } from './fitting-tags.ts';
import { Tag } from './heat.tsx';
import styles from './tag-row.module.css';

interface Props {
  readonly tags: readonly string[];
  /** A link around the tag. */
  readonly link?: (tag: string, shown: ReactNode) => ReactNode;
}

/** The tags in a row of a list: those that have room, and how many more there are. */
export function TagRow({ tags, link = (_, shown) => shown }: Props) {
  const { usual, large } = fittingTags(tags);
  return (
    <span className={styles['tags']}>
      {tags.slice(0, large).map((tag, index) => (
        <span key={tag} className={index < usual ? styles['tag'] : styles['further']}>
          {link(tag, <Tag name={tag} />)}
        </span>
      ))}
      <More tags={tags.slice(usual)} className={styles['usual']} />
      <More tags={tags.slice(large)} className={styles['large']} />
    </span>
  );
}

function More({
  tags,
  className,
}: Pick<Props, 'tags'> & { readonly className?: string | undefined }) {
  if (tags.length === 0) return null;
  return (
    <span className={className} title={tags.map(visible).join(', ')}>
      +{tags.length}
    </span>
  );
}
