import styles from './identifiers.module.css';

const HOST_AND_PORT = /^(.+)(:\d{1,5})$/;

/**
 * A defanged address in one line. Where space is missing the host is cut and the port stays: half
 * of a port reads like another one.
 */
export function AddressText({ shown }: { readonly shown: string }) {
  const [, host, port] = HOST_AND_PORT.exec(shown) ?? [];
  if (host === undefined || port === undefined) return shown;
  return (
    <span className={styles['address']}>
      <span className={styles['host']} data-port={port.length}>
        {host}
      </span>
      <span className={styles['port']}>{port}</span>
    </span>
  );
}
