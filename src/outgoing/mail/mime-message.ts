import MimeNode from 'nodemailer/lib/mime-node';
import type { MailMessage, MailPart } from '../../ports/outgoing-mail.ts';

const KINDS: Readonly<Record<MailMessage['kind'], string>> = {
  report: 'multipart/report; report-type=feedback-report',
  mixed: 'multipart/mixed',
};

/** Line breaks in a header would begin another one. */
const BREAKS = /[\r\n]+/g;

/** The bytes of a mail with CRLF line ends. */
export async function formatMessage(mail: MailMessage, from: string): Promise<Buffer> {
  const root = new MimeNode(KINDS[mail.kind], {
    newline: 'win',
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  root.setHeader({
    from,
    to: mail.to,
    subject: mail.subject.replace(BREAKS, ' '),
    date: mail.date.toUTCString().replace(/GMT$/, '+0000'),
    'message-id': `<${mail.id}@${from.slice(from.lastIndexOf('@') + 1)}>`,
    // RFC 3834: no auto-responder answers.
    'auto-submitted': 'auto-generated',
  });
  for (const part of mail.parts) addPart(root, part);
  return root.build();
}

function addPart(root: MimeNode, { contentType, content, encoding, filename }: MailPart): void {
  const part = root.createChild(contentType);
  part.setHeader('content-transfer-encoding', encoding);
  if (filename !== undefined)
    part.setHeader('content-disposition', `attachment; filename=${filename}`);
  part.setContent(content);
}
