// The dialog for commands: loaded when somebody first commands something.
import { lazy } from "react";
import { loadChunk } from "../api/loading";

export const CommandDialog = lazy(() => loadChunk(() => import("./dialog")));
