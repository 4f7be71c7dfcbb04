export function ProblemPage() {
  return null;
}
