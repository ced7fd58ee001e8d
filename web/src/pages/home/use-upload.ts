import { useNavigate } from '@tanstack/react-router';

/** Uploads dropped files, and shows how they fare. */
export function useUpload(): (files: readonly File[]) => void {
  const navigate = useNavigate();
  const upload = async (files: readonly File[]) => {
    if (files.length === 0) return;
    const { uploads } = await import('../../api/upload/upload-queue.ts');
    uploads.add(files);
    await navigate({ to: '/upload' });
  };
  return (files) => void upload(files);
}
