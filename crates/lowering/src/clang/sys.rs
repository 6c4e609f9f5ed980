//! A thin safe layer over libclang: what a reader of statements needs, and no more.
#![allow(non_upper_case_globals)] // libclang's names.

use clang_sys::*;
use std::ffi::{CStr, CString, c_void};
use std::marker::PhantomData;
use std::ptr;
use std::sync::Once;

use super::ReadError;

/// Lets libclang do what it does once per process. It registers LLVM's targets, in the same LLVM that clang's code
/// generator looks them up in, without a lock; so this comes before any other use of either.
pub(crate) fn initialise() {
    static ONCE: Once = Once::new();
    // SAFETY: an index without units is made and released at once.
    ONCE.call_once(|| unsafe { clang_disposeIndex(clang_createIndex(0, 0)) });
}

/// A parsed translation unit.
pub(super) struct Unit {
    index: CXIndex,
    unit: CXTranslationUnit,
}

// SAFETY: libclang binds a unit to no thread; it only must not be used by two at once, and all its uses here go
// through `&Unit` on the one thread that holds it.
unsafe impl Send for Unit {}
// SAFETY: shared references are only handed to a thread that the owner waits for.
unsafe impl Sync for Unit {}

impl Unit {
    /// Parses a unit from a full compiler command line, the compiler's own name first.
    pub(super) fn parse(arguments: &[Vec<u8>]) -> Result<Self, ReadError> {
        let copy = |argument: &Vec<u8>| {
            CString::new(argument.as_slice())
                .map_err(|_| ReadError::Argument(String::from_utf8_lossy(argument).into_owned()))
        };
        let owned: Vec<CString> = arguments.iter().map(copy).collect::<Result<_, _>>()?;
        let pointers: Vec<_> = owned.iter().map(|argument| argument.as_ptr()).collect();
        let count = i32::try_from(pointers.len()).map_err(|_| ReadError::Argument("too many".into()))?;
        initialise();
        // SAFETY: no pointers are passed; `Self` releases the index.
        let index = unsafe { clang_createIndex(0, 0) };
        let mut unit = ptr::null_mut();
        let options = CXTranslationUnit_DetailedPreprocessingRecord | CXTranslationUnit_KeepGoing;
        // SAFETY: the arguments are NUL-terminated and outlive the call; a null file name means that the command
        // line names the file; `unit` is a valid place for the result.
        let code = unsafe {
            clang_parseTranslationUnit2FullArgv(
                index,
                ptr::null(),
                pointers.as_ptr(),
                count,
                ptr::null_mut(),
                0,
                options,
                &mut unit,
            )
        };
        let parsed = Self { index, unit };
        if code != CXError_Success || parsed.unit.is_null() {
            return Err(ReadError::Parse(code));
        }
        Ok(parsed)
    }

    pub(super) fn root(&self) -> Cursor<'_> {
        // SAFETY: the unit is alive.
        Cursor { raw: unsafe { clang_getTranslationUnitCursor(self.unit) }, unit: PhantomData }
    }

    /// The bytes of a file as clang read them.
    pub(super) fn contents(&self, file: CXFile) -> &[u8] {
        let mut size = 0;
        // SAFETY: unit and file are alive; the buffer belongs to the unit and lives as long as it.
        unsafe {
            let data = clang_getFileContents(self.unit, file, &mut size);
            if data.is_null() { &[] } else { std::slice::from_raw_parts(data.cast(), size) }
        }
    }

    /// The file name, line and column that debug information gives for an offset: `#line` is obeyed.
    pub(super) fn presumed(&self, file: CXFile, offset: u32) -> (String, u32, u32) {
        let (mut name, mut line, mut column) = (CXString::default(), 0, 0);
        // SAFETY: unit and file are alive, and the three places are valid.
        unsafe {
            let location = clang_getLocationForOffset(self.unit, file, offset);
            clang_getPresumedLocation(location, &mut name, &mut line, &mut column);
        }
        (text(name), line, column)
    }
}

impl Drop for Unit {
    fn drop(&mut self) {
        // SAFETY: both were made by `parse` and are released once; the unit may be null after a failed parse.
        unsafe {
            if !self.unit.is_null() {
                clang_disposeTranslationUnit(self.unit);
            }
            clang_disposeIndex(self.index);
        }
    }
}

/// The name of a file as clang was asked to open it.
pub(super) fn file_name(file: CXFile) -> String {
    // SAFETY: the file belongs to a living unit.
    text(unsafe { clang_getFileName(file) })
}

/// Copies a string of libclang and releases it.
fn text(string: CXString) -> String {
    // SAFETY: a string of libclang is valid until it is disposed of, which happens once, after the copy.
    unsafe {
        let data = clang_getCString(string);
        let copy =
            if data.is_null() { String::new() } else { CStr::from_ptr(data).to_string_lossy().into_owned() };
        clang_disposeString(string);
        copy
    }
}

/// A node of the syntax tree.
#[derive(Clone, Copy)]
pub(super) struct Cursor<'u> {
    raw: CXCursor,
    unit: PhantomData<&'u Unit>,
}

/// An end of an extent: the file and offset where the outermost macro expansion (if any) stands.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) file: CXFile,
    pub(super) offset: u32,
    /// Whether the token comes out of a macro.
    pub(super) in_macro: bool,
}

/// The bit that marks source locations inside macro expansions; libclang hands out clang's encoding.
const MACRO_BIT: u32 = 1 << 31;

impl<'u> Cursor<'u> {
    pub(super) fn kind(&self) -> CXCursorKind {
        self.raw.kind
    }

    pub(super) fn children(&self) -> Vec<Cursor<'u>> {
        extern "C" fn push(cursor: CXCursor, _: CXCursor, data: CXClientData) -> CXChildVisitResult {
            // SAFETY: `data` is the vector below, borrowed by nobody else during the visit.
            unsafe { (*data.cast::<Vec<CXCursor>>()).push(cursor) };
            CXChildVisit_Continue
        }
        let mut raw: Vec<CXCursor> = Vec::new();
        let data: *mut c_void = (&raw mut raw).cast();
        // SAFETY: the unit is alive, and the visitor only pushes into `raw`.
        unsafe { clang_visitChildren(self.raw, push, data) };
        raw.into_iter().map(|raw| Cursor { raw, unit: PhantomData }).collect()
    }

    /// Where the extent begins and where it ends, as written in files.
    pub(super) fn extent(&self) -> (Spot, Spot) {
        // SAFETY: the cursor's unit is alive.
        unsafe {
            let range = clang_getCursorExtent(self.raw);
            (spot(clang_getRangeStart(range)), spot(clang_getRangeEnd(range)))
        }
    }

    /// Like [`Self::extent`], but a macro's argument stands where it is written.
    pub(super) fn written_extent(&self) -> (Spot, Spot) {
        // SAFETY: the cursor's unit is alive.
        unsafe {
            let range = clang_getCursorExtent(self.raw);
            (written(clang_getRangeStart(range)), written(clang_getRangeEnd(range)))
        }
    }

    /// Where the name of a declaration stands.
    pub(super) fn location(&self) -> Spot {
        // SAFETY: the cursor's unit is alive.
        unsafe { spot(clang_getCursorLocation(self.raw)) }
    }

    pub(super) fn spelling(&self) -> String {
        // SAFETY: the cursor's unit is alive.
        text(unsafe { clang_getCursorSpelling(self.raw) })
    }

    /// The linker's name.
    pub(super) fn mangling(&self) -> String {
        // SAFETY: the cursor's unit is alive.
        text(unsafe { clang_Cursor_getMangling(self.raw) })
    }

    pub(super) fn is_definition(&self) -> bool {
        // SAFETY: the cursor's unit is alive.
        unsafe { clang_isCursorDefinition(self.raw) != 0 }
    }

    pub(super) fn is_expression(&self) -> bool {
        // SAFETY: a plain function of the kind.
        unsafe { clang_isExpression(self.raw.kind) != 0 }
    }

    pub(super) fn is_extern(&self) -> bool {
        // SAFETY: the cursor's unit is alive.
        unsafe { clang_Cursor_getStorageClass(self.raw) == CX_SC_Extern }
    }

    pub(super) fn binary_operator(&self) -> CXBinaryOperatorKind {
        // SAFETY: the cursor's unit is alive.
        unsafe { clang_getCursorBinaryOperatorKind(self.raw) }
    }

    pub(super) fn unary_operator(&self) -> CXUnaryOperatorKind {
        // SAFETY: the cursor's unit is alive.
        unsafe { clang_getCursorUnaryOperatorKind(self.raw) }
    }

    /// Whether the left operand of `<<` or `<<=` is a signed number after the promotions of C, which turn all numbers
    /// smaller than `int` into it. The type of `<<` is the promoted one, that of `<<=` is not.
    pub(super) fn promotes_to_signed(&self) -> bool {
        // SAFETY: the cursor's unit is alive, and so are its types and declarations.
        let kind = unsafe {
            let ty = clang_getCanonicalType(clang_getCursorType(self.raw));
            if ty.kind == CXType_Enum {
                clang_getCanonicalType(clang_getEnumDeclIntegerType(clang_getTypeDeclaration(ty))).kind
            } else {
                ty.kind
            }
        };
        matches!(
            kind,
            CXType_Bool
                | CXType_Char_U
                | CXType_UChar
                | CXType_UShort
                | CXType_Char_S
                | CXType_SChar
                | CXType_Short
                | CXType_Int
                | CXType_Long
                | CXType_LongLong
                | CXType_Int128
        )
    }

    /// The initialiser of a variable.
    pub(super) fn initializer(&self) -> Option<Cursor<'u>> {
        // SAFETY: the cursor's unit is alive; a null cursor says that there is none.
        unsafe {
            let raw = clang_Cursor_getVarDeclInitializer(self.raw);
            (clang_Cursor_isNull(raw) == 0).then_some(Cursor { raw, unit: PhantomData })
        }
    }

    /// Whether clang can evaluate the expression to a number.
    pub(super) fn evaluates(&self) -> bool {
        // SAFETY: the cursor's unit is alive; the result is released after the look at its kind.
        unsafe {
            let result = clang_Cursor_Evaluate(self.raw);
            if result.is_null() {
                return false;
            }
            let kind = clang_EvalResult_getKind(result);
            clang_EvalResult_dispose(result);
            kind != CXEval_UnExposed
        }
    }
}

/// # Safety
///
/// The location's unit must be alive.
unsafe fn spot(location: CXSourceLocation) -> Spot {
    let (mut file, mut offset) = (ptr::null_mut(), 0);
    // SAFETY: the caller keeps the unit alive; null asks for no line and column.
    unsafe { clang_getExpansionLocation(location, &mut file, ptr::null_mut(), ptr::null_mut(), &mut offset) };
    Spot { file, offset, in_macro: location.int_data & MACRO_BIT != 0 }
}

/// # Safety
///
/// The location's unit must be alive.
unsafe fn written(location: CXSourceLocation) -> Spot {
    let (mut file, mut offset) = (ptr::null_mut(), 0);
    // SAFETY: as in `spot`.
    unsafe { clang_getFileLocation(location, &mut file, ptr::null_mut(), ptr::null_mut(), &mut offset) };
    Spot { file, offset, in_macro: location.int_data & MACRO_BIT != 0 }
}
