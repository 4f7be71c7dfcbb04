import { QueryCache, QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { createRoot } from "react-dom/client";
import { ApiError, Unreachable, whenSignedOut } from "./api/client";
import { dropForbidden, meQuery } from "./api/session";
import { t, useLanguage } from "./i18n";
import { Enrol, Login } from "./pages/login";
import { router } from "./router";
import { Failed } from "./ui/states";
import "./style/tokens.css";
import "./style/base.css";
import "./style/parts.css";
import "./style/shell.css";
import "./style/pages.css";

const client = new QueryClient({
  queryCache: new QueryCache({ onError: dropForbidden }),
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // a server that is away comes back by itself; what it refuses, it refuses again
      retry: (count, error) => (error instanceof Unreachable ? count < 2 : !(error instanceof ApiError) && count < 2),
      refetchOnWindowFocus: true,
    },
  },
});

/** Another session's end must not lose what somebody is typing: the page stays below the sign-in. */
let ended = false;
const listeners = new Set<() => void>();
whenSignedOut(() => {
  if (client.getQueryData(meQuery.queryKey)) ended = true;
  client.setQueryData(meQuery.queryKey, null);
  for (const listener of listeners) listener();
});

function App() {
  useLanguage();
  const me = useQuery(meQuery);
  const wasIn = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => ended,
  );
  const [holdsCodes, setHoldsCodes] = useState(false);
  if (holdsCodes || me.data?.must_enrol_totp) return <Enrol onHold={setHoldsCodes} />;
  if (me.data === undefined) {
    if (!me.isError) return null;
    return <Failed error={me.error} again={() => void me.refetch()} />;
  }
  if (me.data === null && !wasIn) return <Login ended={false} />;
  return (
    <>
      <RouterProvider router={router} />
      {me.data === null ? <SignInAgain /> : null}
    </>
  );
}

/** Modal like the dialogs that may be open below it: they make everything inert that is not above them. */
function SignInAgain() {
  const place = useRef<HTMLDialogElement>(null);
  const show = () => {
    const dialog = place.current;
    if (!dialog?.isConnected || dialog.open) return;
    dialog.showModal();
    dialog.querySelector("input")?.focus();
  };
  useEffect(show, []);
  return (
    <dialog
      ref={place}
      className="over"
      aria-label={t("login.go")}
      onCancel={(event) => event.preventDefault()}
      onClose={show} // browsers close it at the second Escape even if the first was prevented
    >
      <Login ended />
    </dialog>
  );
}

const place = document.getElementById("root");
if (place) {
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={client}>
        <App />
      </QueryClientProvider>
    </StrictMode>,
  );
}
